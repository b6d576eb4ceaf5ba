// Single characters: questions and changes that depend on no locale.
#pragma once

namespace tutti {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace tutti
