#include "terminal/table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace tutti::terminal {
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

// One cell as it is to be shown.
struct Shown {
  std::string_view text;
  Tint tint = Tint::none;
  bool right = false;
};

void append_cell(std::string& out, const Shown& cell, std::size_t width, bool colour) {
  const std::string text = elided(cell.text, width);
  const std::size_t padding = width - width_of(text);
  if (cell.right) out.append(padding, ' ');
  const bool tinted = colour && cell.tint != Tint::none;
  if (tinted) out += escape_of(cell.tint);
  out += text;
  if (tinted) out += "\x1b[0m";
  if (!cell.right) out.append(padding, ' ');
}

constexpr std::size_t kGap = 2;     // between columns
constexpr std::size_t kIndent = 4;  // of notes
// No column is made narrower than this.
constexpr std::size_t kNarrowest = 8;

// `cell_of` gives the cell of a column; columns are asked in order. A column of no width is left
// out.
template <typename CellOf>
void append_row(std::string& out, const std::vector<std::size_t>& widths, bool colour,
                const CellOf& cell_of) {
  bool begun = false;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    const Shown cell = cell_of(column);
    if (widths[column] == 0) continue;
    if (begun) out.append(kGap, ' ');
    begun = true;
    append_cell(out, cell, widths[column], colour);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (const std::string& heading : headings_) widths_.push_back(width_of(heading));
  brief_widths_ = widths_;
  brief_headings_ = headings_;
  filled_.assign(headings_.size(), false);
}

void Table::set_brief_heading(std::size_t column, std::string heading) {
  TUTTI_CHECK(empty(), "rows know the width of their column");
  brief_widths_[column] = width_of(heading);
  brief_headings_[column] = std::move(heading);
}

void Table::add(const std::vector<Cell>& row, const std::string& note) {
  TUTTI_CHECK(row.size() == headings_.size());
  if (!note.empty()) notes_.emplace_back(cells_.size(), printable(note));
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::string text = printable(row[column].text);
    const std::string brief = printable(row[column].brief);
    text_.append(text).append(brief);
    cells_.push_back({static_cast<std::uint32_t>(text.size()),
                      static_cast<std::uint32_t>(brief.size()), row[column].tint,
                      row[column].right});
    widths_[column] = std::max(widths_[column], width_of(text));
    brief_widths_[column] = std::max(brief_widths_[column], width_of(brief.empty() ? text : brief));
    filled_[column] = filled_[column] || !text.empty();
  }
}

Table::Widths Table::widths_within(const Layout& layout) const {
  Widths widths{widths_, false};
  const auto too_wide = [&] {
    std::size_t all = 0;
    for (const std::size_t width : widths.of) all += width > 0 ? width + kGap : 0;
    return layout.columns > 0 && all > layout.columns + kGap;
  };
  const auto leave_out_empty = [&] {
    for (std::size_t column = 0; column < widths.of.size(); ++column) {
      if (!filled_[column]) widths.of[column] = 0;
    }
  };
  leave_out_empty();
  if (too_wide()) {
    widths = {brief_widths_, true};
    leave_out_empty();
  }
  for (const std::size_t column : optional_) {
    if (too_wide()) widths.of[column] = 0;
  }
  while (too_wide()) {
    const auto widest = std::ranges::max_element(widths.of);
    if (*widest <= kNarrowest) break;
    --*widest;
  }
  return widths;
}

std::string Table::text(const Layout& layout) const {
  const std::size_t columns = headings_.size();
  const Widths widths = widths_within(layout);
  std::string out;
  out.reserve(text_.size() + 8 * cells_.size());
  append_row(out, widths.of, layout.colour, [&](std::size_t column) {
    return Shown{widths.brief ? brief_headings_[column] : headings_[column], Tint::faint,
                 !empty() && cells_[column].right};
  });
  std::string_view rest = text_;
  auto note = notes_.begin();
  for (std::size_t row = 0; row < cells_.size(); row += columns) {
    append_row(out, widths.of, layout.colour, [&](std::size_t column) {
      const PackedCell& cell = cells_[row + column];
      const bool brief = widths.brief && cell.brief_bytes > 0;
      const Shown shown{
          brief ? rest.substr(cell.bytes, cell.brief_bytes) : rest.substr(0, cell.bytes), cell.tint,
          cell.right};
      rest.remove_prefix(std::size_t{cell.bytes} + cell.brief_bytes);
      return shown;
    });
    for (; note != notes_.end() && note->first == row; ++note) {
      out += wrapped(note->second, kIndent, layout.columns);
    }
  }
  return out;
}

}  // namespace tutti::terminal
