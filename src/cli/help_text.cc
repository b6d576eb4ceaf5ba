#include "cli/help_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "terminal/layout.h"

namespace tutti::cli {
namespace {

constexpr std::size_t kUsualColumns = 100;
constexpr std::size_t kDescriptions = 30;  // where CLI11 begins them
constexpr std::size_t kExampleIndent = 2;

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// "  --flag  its description": the text begins where that of other options does.
bool is_described(std::string_view line) {
  return line.size() > kDescriptions && line[kDescriptions] != ' ' &&
         line[kDescriptions - 1] == ' ' && line[kDescriptions - 2] == ' ';
}

void append_hanging(std::string& out, std::string_view line, std::size_t start,
                    std::size_t columns) {
  out += line.substr(0, start);
  out += terminal::wrapped(line.substr(start), start, columns).substr(start);
}

// A command is not broken; what is said of it may stand below.
void append_example(std::string& out, std::string_view line) {
  const std::size_t gap = line.find("  ", indent_of(line));
  const std::size_t comment = line.find_first_not_of(' ', std::min(gap, line.size()));
  if (gap == std::string_view::npos || comment == std::string_view::npos) {
    out.append(line).append("\n");
    return;
  }
  out.append(line.substr(0, gap)).append("\n      ").append(line.substr(comment)).append("\n");
}

// Lines of prose: those of a paragraph go on in each other where one is too wide.
void append_prose(std::string& out, const std::vector<std::string_view>& lines,
                  std::size_t columns) {
  const auto wide = [&](std::string_view line) { return terminal::width_of(line) > columns; };
  if (std::ranges::any_of(lines, wide)) {
    out += terminal::wrapped(fmt::format("{}", fmt::join(lines, " ")), 0, columns);
    return;
  }
  for (const std::string_view line : lines) out.append(line).append("\n");
}

}  // namespace

std::string help_text(std::string_view page, std::size_t columns) {
  if (columns == 0) columns = kUsualColumns;
  std::string out;
  std::vector<std::string_view> prose;
  bool after_blank = false;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.empty() && after_blank) continue;
    after_blank = line.empty();
    const std::size_t indent = indent_of(line);
    if (!line.empty() && indent == 0) {
      prose.push_back(line);
      continue;
    }
    append_prose(out, std::exchange(prose, {}), columns);
    if (terminal::width_of(line) <= columns) {
      out.append(line).append("\n");
    } else if (is_described(line) || indent == kDescriptions) {
      append_hanging(out, line, kDescriptions, columns);
    } else if (indent == kExampleIndent) {
      append_example(out, line);
    } else {
      append_hanging(out, line, indent, columns);
    }
  }
  append_prose(out, prose, columns);
  return out;
}

}  // namespace tutti::cli
