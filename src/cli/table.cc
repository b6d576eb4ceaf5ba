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

void append_cell(std::string& out, const Cell& cell, std::size_t width, bool colour) {
  const std::string padding(width - width_of(cell.text), ' ');
  if (cell.right) out += padding;
  const bool tinted = colour && cell.tint != Tint::none;
  if (tinted) out += escape_of(cell.tint);
  out += cell.text;
  if (tinted) out += "\x1b[0m";
  if (!cell.right) out += padding;
}

void append_row(std::string& out, const std::vector<Cell>& row,
                const std::vector<std::size_t>& widths, bool colour) {
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (column > 0) out += "  ";
    append_cell(out, row[column], widths[column], colour);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
  for (std::string& heading : headings) headings_.push_back({std::move(heading), Tint::faint});
}

void Table::add(std::vector<Cell> row) {
  TUTTI_CHECK(row.size() == headings_.size());
  for (Cell& cell : row) cell.text = printable(cell.text);
  rows_.push_back(std::move(row));
}

std::string Table::text(bool colour) const {
  std::vector<Cell> headings = headings_;
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < headings.size(); ++column) {
    headings[column].right = !rows_.empty() && rows_.front()[column].right;
    std::size_t width = width_of(headings[column].text);
    for (const auto& row : rows_) width = std::max(width, width_of(row[column].text));
    widths.push_back(width);
  }
  std::string out;
  append_row(out, headings, widths, colour);
  for (const auto& row : rows_) append_row(out, row, widths, colour);
  return out;
}

}  // namespace tutti::cli
