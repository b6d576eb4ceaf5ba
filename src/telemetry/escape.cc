#include "telemetry/escape.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace tutti::telemetry {

namespace {

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0xFFFD;
  bool valid = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// How many bytes a character takes that begins with `lead`, and the least code such a character may
// have (longer forms of smaller codes are not UTF-8). No bytes: nothing begins so.
struct Form {
  std::size_t bytes = 0;
  char32_t bits = 0;
  char32_t least = 0;
};
Form form_of(std::uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {2, lead & 0x1FU, 0x80};
  if (lead >= 0xE0 && lead <= 0xEF) return {3, lead & 0x0FU, 0x800};
  if (lead >= 0xF0 && lead <= 0xF4) return {4, lead & 0x07U, 0x10000};
  return {};
}

// The character at the beginning of `text`, which is not empty.
Character first_character(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {1, lead, true};
  const Form form = form_of(lead);
  if (form.bytes == 0 || form.bytes > text.size()) return {};
  char32_t code = form.bits;
  for (std::size_t i = 1; i < form.bytes; ++i) {
    const std::uint8_t next = byte_at(text, i);
    if ((next & 0xC0U) != 0x80) return {};
    code = (code << 6) | (next & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < form.least || surrogate || code > 0x10FFFF) return {};
  return {form.bytes, code, true};
}

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029;
}

bool passes(const Character& character) {
  return character.valid && character.code != '"' && character.code != '\\' &&
         !is_control(character.code);
}

void append_escape(std::string& out, char32_t code) {
  switch (code) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (passes(character)) {
      out += text.substr(0, character.bytes);
    } else {
      append_escape(out, character.code);
    }
    text.remove_prefix(character.bytes);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

bool needs_escapes(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!passes(character)) return true;
    text.remove_prefix(character.bytes);
  }
  return false;
}

}  // namespace tutti::telemetry
