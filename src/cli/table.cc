#include "cli/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace tutti::cli {
namespace {

std::string_view escape_of(Tint tint) {
  switch (tint) {
    case Tint::none:
      return "";
    case Tint::good:
      return "\x1b[32m";
    case Tint::waiting:
      return "\x1b[33m";
    case Tint::held:
      return "\x1b[36m";
    case Tint::bad:
      return "\x1b[31m";
    case Tint::faint:
      return "\x1b[2m";
  }
  return "";
}

// Characters of UTF-8 text: bytes that do not continue one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// One cell as it is to be shown.
struct Shown {
  std::string_view text;
  Tint tint = Tint::none;
  bool right = false;
};

void append_cell(std::string& out, const Shown& cell, std::size_t width, bool colour) {
  const std::size_t padding = width - width_of(cell.text);
  if (cell.right) out.append(padding, ' ');
  const bool tinted = colour && cell.tint != Tint::none;
  if (tinted) out += escape_of(cell.tint);
  out += cell.text;
  if (tinted) out += "\x1b[0m";
  if (!cell.right) out.append(padding, ' ');
}

// `cell_of` gives the cell of a column; columns are asked in order.
template <typename CellOf>
void append_row(std::string& out, const std::vector<std::size_t>& widths, bool colour,
                const CellOf& cell_of) {
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (column > 0) out += "  ";
    append_cell(out, cell_of(column), widths[column], colour);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (const std::string& heading : headings_) widths_.push_back(width_of(heading));
}

void Table::add(const std::vector<Cell>& row) {
  TUTTI_CHECK(row.size() == headings_.size());
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string text = printable(row[column].text);
    text_ += text;
    cells_.push_back(
        {static_cast<std::uint32_t>(text.size()), row[column].tint, row[column].right});
    widths_[column] = std::max(widths_[column], width_of(text));
  }
}

std::string Table::text(bool colour) const {
  const std::size_t columns = headings_.size();
  std::string out;
  out.reserve(text_.size() + 8 * cells_.size());
  append_row(out, widths_, colour, [&](std::size_t column) {
    return Shown{headings_[column], Tint::faint, !empty() && cells_[column].right};
  });
  std::string_view rest = text_;
  for (std::size_t row = 0; row < cells_.size(); row += columns) {
    append_row(out, widths_, colour, [&](std::size_t column) {
      const PackedCell& cell = cells_[row + column];
      const Shown shown{rest.substr(0, cell.bytes), cell.tint, cell.right};
      rest.remove_prefix(cell.bytes);
      return shown;
    });
  }
  return out;
}

}  // namespace tutti::cli
