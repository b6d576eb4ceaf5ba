#include "cel/value/utf8.h"

#include <algorithm>

namespace tutti::cel {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// 1 to 4, or 0 if no character begins with this byte.
std::size_t length_by_first(unsigned first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

std::uint32_t decode(std::string_view text, std::size_t length) {
  if (length == 1) return byte_at(text, 0);
  std::uint32_t code = byte_at(text, 0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (byte_at(text, i) & 0x3FU);
  return code;
}

bool is_shortest_form(std::uint32_t code, std::size_t length) {
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= kLeast[length];
}

}  // namespace

bool is_code_point(std::uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = length_by_first(byte_at(text, 0));
    if (length == 0 || length > text.size()) return false;
    for (std::size_t i = 1; i < length; ++i) {
      if (!is_continuation(byte_at(text, i))) return false;
    }
    const std::uint32_t code = decode(text, length);
    if (!is_shortest_form(code, length) || !is_code_point(code)) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t code_point_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return !is_continuation(static_cast<unsigned char>(c));
  }));
}

std::size_t code_point_offset(std::string_view text, std::size_t index) {
  std::size_t offset = 0;
  while (index > 0 && offset < text.size()) {
    offset += std::max<std::size_t>(1, length_by_first(byte_at(text, offset)));
    --index;
  }
  return std::min(offset, text.size());
}

std::uint32_t take_code_point(std::string_view& text) {
  const std::size_t length =
      std::clamp<std::size_t>(length_by_first(byte_at(text, 0)), 1, text.size());
  const std::uint32_t code = decode(text, length);
  text.remove_prefix(length);
  return code;
}

void append_code_point(std::string& text, std::uint32_t code) {
  const auto append = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto append_rest = [&](unsigned shift) { append(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0U | (code >> 6U));
    append_rest(0);
  } else if (code < 0x10000) {
    append(0xE0U | (code >> 12U));
    append_rest(6);
    append_rest(0);
  } else {
    append(0xF0U | (code >> 18U));
    append_rest(12);
    append_rest(6);
    append_rest(0);
  }
}

bool is_white_space(std::uint32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x20 || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

}  // namespace tutti::cel
