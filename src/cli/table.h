// Aligned columns for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::cli {

enum class Tint : std::uint8_t { none, good, waiting, held, bad, faint };

struct Cell {
  std::string text;
  Tint tint = Tint::none;
  bool right = false;  // aligned, as numbers are
};

class Table {
 public:
  explicit Table(std::vector<std::string> headings);

  // Requires a cell for every heading.
  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }

  // Two spaces between columns, none at the end of a line. Widths count characters, not bytes.
  std::string text(bool colour) const;

 private:
  std::vector<Cell> headings_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace tutti::cli
