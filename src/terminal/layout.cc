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
