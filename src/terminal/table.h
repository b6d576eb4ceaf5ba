// Aligned columns for people.
#pragma once

#include "base/std.h"
#include "terminal/layout.h"

namespace tutti::terminal {

enum class Tint : std::uint8_t { none, good, waiting, held, bad, faint };

struct Cell {
  std::string text;
  Tint tint = Tint::none;
  bool right = false;      // aligned, as numbers are
  std::string brief = {};  // what is shown instead where there is little space; empty: the same
};

class Table {
 public:
  explicit Table(std::vector<std::string> headings);

  // Requires a cell for every heading. A note stands below the row, indented.
  void add(const std::vector<Cell>& row, const std::string& note = {});
  bool empty() const { return cells_.empty(); }

  // Two spaces between columns, none at the end of a line. Widths count characters, not bytes.
  // Columns without any text are left out. Where the others are too wide for the layout, cells
  // become brief, then optional columns go, then the widest are shortened.
  std::string text(const Layout& layout) const;
  // What the heading is where there is little space. To be called before rows are added.
  void set_brief_heading(std::size_t column, std::string heading);
  // The column may be left out where there is little space: others say nearly the same.
  void make_optional(std::size_t column) { optional_.push_back(column); }

 private:
  // Rows can be very many: the text of all cells lies in one string.
  struct PackedCell {
    std::uint32_t bytes = 0;
    std::uint32_t brief_bytes = 0;  // behind the others; 0: there is no brief form
    Tint tint = Tint::none;
    bool right = false;
  };

  std::vector<std::string> headings_;
  std::vector<std::string> brief_headings_;
  std::vector<std::size_t> widths_;
  std::vector<PackedCell> cells_;                           // row by row
  std::string text_;                                        // of the cells, in their order
  std::vector<std::pair<std::size_t, std::string>> notes_;  // index of the first cell of the row

  struct Widths {
    std::vector<std::size_t> of;  // 0: the column is left out
    bool brief = false;
  };
  Widths widths_within(const Layout& layout) const;

  std::vector<std::size_t> brief_widths_;
  std::vector<bool> filled_;  // by column: some cell has text
  std::vector<std::size_t> optional_;
};

}  // namespace tutti::terminal
