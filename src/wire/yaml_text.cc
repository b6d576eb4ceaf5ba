#include "wire/yaml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/ascii.h"
#include "base/text.h"
#include "wire/plain_scalar.h"

namespace tutti::wire {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

// The first code point. Requires non-empty UTF-8.
CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {.value = lead, .bytes = 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  std::uint32_t value = lead & (0xFFU >> (bytes + 1));
  for (const char c : text.substr(1, bytes - 1)) {
    value = (value << 6) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return {.value = value, .bytes = std::min(bytes, text.size())};
}

// Neither a control character, nor one of the line ends only YAML knows, nor a byte order mark.
bool is_printable(std::uint32_t c) {
  if (c < 0xA0) return c >= 0x20 && c < 0x7F;
  return c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

bool all_printable(std::string_view text, std::string_view except = {}) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    const bool allowed = is_printable(next.value) ||
                         (next.bytes == 1 && except.find(text.front()) != std::string_view::npos);
    if (!allowed) return false;
    text.remove_prefix(next.bytes);
  }
  return true;
}

// Dates and base-60 numbers: strings to us, but not to every YAML 1.1 reader.
bool looks_like_date_or_sexagesimal(std::string_view text) {
  if (!is_digit(text.front()) && text.front() != '-' && text.front() != '+') return false;
  const bool only_numeric = text.find_first_not_of("+-0123456789:._") == std::string_view::npos;
  if (only_numeric && text.find(':') != std::string_view::npos) return true;
  return text.size() >= 8 && std::ranges::all_of(text.substr(0, 4), is_digit) && text[4] == '-' &&
         is_digit(text[5]);
}

bool reads_as_something_else(std::string_view text) {
  return text == "<<" || text == "=" || resolve_plain(text).kind != PlainScalar::Kind::string ||
         looks_like_date_or_sexagesimal(text);
}

// Whether block-style YAML could take part of `text` for syntax.
bool has_syntax(std::string_view text) {
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";
  constexpr std::string_view kIndicatorsBeforeSpace = "-?:";
  const char first = text.front();
  const bool alone = text.size() == 1 || text[1] == ' ';
  return first == ' ' || text.back() == ' ' || text.back() == ':' ||
         kIndicators.find(first) != std::string_view::npos ||
         (alone && kIndicatorsBeforeSpace.find(first) != std::string_view::npos) ||
         text.starts_with("---") || text.starts_with("...") ||
         text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos;
}

void append_single_quoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  out += '\'';
}

void append_escape(std::string& out, std::uint32_t c) {
  const auto into = std::back_inserter(out);
  const std::string_view letter = letter_escape(c);
  if (!letter.empty()) {
    out += letter;
  } else {
    c <= 0xFF ? fmt::format_to(into, "\\x{:02X}", c) : fmt::format_to(into, "\\u{:04X}", c);
  }
}

void append_double_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    if (next.value == '"' || next.value == '\\') out += '\\';
    if (is_printable(next.value)) {
      out += text.substr(0, next.bytes);
    } else {
      append_escape(out, next.value);
    }
    text.remove_prefix(next.bytes);
  }
  out += '"';
}

std::string_view chomping(std::string_view text) {
  if (!text.ends_with('\n')) return "-";
  return text.ends_with("\n\n") ? "+" : "";
}

}  // namespace

void append_yaml_string(std::string& out, std::string_view text) {
  if (text.empty() || !all_printable(text) || reads_as_something_else(text)) {
    append_double_quoted(out, text);
  } else if (has_syntax(text)) {
    append_single_quoted(out, text);
  } else {
    out += text;
  }
}

bool fits_literal_block(std::string_view text) {
  return text.find('\n') != std::string_view::npos &&
         text.find_first_not_of(" \t\n") != std::string_view::npos && all_printable(text, "\n\t");
}

void append_literal_block(std::string& out, std::string_view text, std::size_t indent,
                          std::size_t step) {
  out += '|';
  // Where the first line begins with space, a reader could not tell it from the indentation.
  const bool ambiguous = text.front() == ' ' || text.front() == '\t' || text.front() == '\n';
  if (ambiguous) out += std::to_string(step);
  out += chomping(text);
  out += '\n';
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) out.append(indent, ' ').append(line);
    out += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

}  // namespace tutti::wire
