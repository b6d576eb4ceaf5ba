#include "cel/value/fault.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace tutti::cel {
namespace {

bool starts_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::uint32_t characters(std::string_view text) {
  return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), starts_a_character));
}

}  // namespace

Position position_of(std::string_view source, std::size_t offset) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<std::uint32_t>(before.size()),
          static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')),
          1 + characters(before.substr(line_start))};
}

std::string marked_line(std::string_view source, const Position& at) {
  const std::string_view before = source.substr(0, at.offset);
  std::string_view line = source.substr(before.rfind('\n') + 1);
  line = line.substr(0, line.find('\n'));
  // Escaped characters take more than one column, so the caret is placed under the printed text.
  const std::string shown = printable(line.substr(0, at.offset - (before.rfind('\n') + 1)));
  return printable(line) + "\n" + std::string(characters(shown), ' ') + "^";
}

std::string SourceFault::text() const {
  return fmt::format("line {}, column {}: {}", at.line, at.column, message);
}

std::string Fault::text() const {
  return fmt::format("{} (line {}, column {})", message, at.line, at.column);
}

}  // namespace tutti::cel
