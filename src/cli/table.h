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
  void add(const std::vector<Cell>& row);
  bool empty() const { return cells_.empty(); }

  // Two spaces between columns, none at the end of a line. Widths count characters, not bytes.
  std::string text(bool colour) const;

 private:
  // Rows can be very many: the text of all cells lies in one string.
  struct PackedCell {
    std::uint32_t bytes = 0;
    Tint tint = Tint::none;
    bool right = false;
  };

  std::vector<std::string> headings_;
  std::vector<std::size_t> widths_;
  std::vector<PackedCell> cells_;  // row by row
  std::string text_;               // of the cells, in their order
};

}  // namespace tutti::cli
