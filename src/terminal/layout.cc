#include "terminal/layout.h"

#include <algorithm>

namespace tutti::terminal {
namespace {

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The byte at which the character of that number begins.
std::size_t byte_of_character(std::string_view text, std::size_t number) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues_a_character(text[at]) && number-- == 0) break;
  }
  return at;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_a_character(byte); }));
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out(indent, ' ');
  std::size_t used = indent;
  bool begun = false;  // the line has a word
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t width = width_of(word);
    if (begun && columns > 0 && used + 1 + width > columns) {
      out.append("\n").append(indent, ' ');
      used = indent;
      begun = false;
    }
    if (begun) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    begun = true;
  }
  return out += '\n';
}

namespace {

constexpr std::size_t kIndentOfCommands = 6;

// Where the text of a line begins.
std::size_t text_start(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  if (line.substr(at).starts_with("- ")) return at + 2;
  // Behind a label, or in the last column.
  const std::size_t gap = line.rfind("  ");
  return gap == std::string_view::npos ? at : std::max(at, gap + 2);
}

}  // namespace

std::string folded(std::string_view page, std::size_t columns) {
  if (columns == 0) return std::string(page);
  std::string out;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t start = text_start(line);
    if (width_of(line) <= columns || indent >= kIndentOfCommands || start + 8 > columns) {
      out.append(line).append("\n");
      continue;
    }
    out += line.substr(0, start);
    out += wrapped(line.substr(start), start, columns).substr(start);
  }
  return out;
}

std::string elided(std::string_view text, std::size_t width) {
  const std::size_t all = width_of(text);
  if (all <= width || width == 0) return std::string(text);
  const std::size_t kept = width - 1;
  const std::size_t head = (kept + 1) / 2;
  std::string out(text.substr(0, byte_of_character(text, head)));
  out += "…";
  return out += text.substr(byte_of_character(text, all - (kept - head)));
}

}  // namespace tutti::terminal
