#include "cel/syntax/literal.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/text.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

Error bad_escape(std::string_view text) {
  return {Error::Code::malformed,
          fmt::format("the literal has an invalid escape '{}'", printable(text.substr(0, 2)))};
}

std::optional<std::uint32_t> digits_value(std::string_view digits, unsigned base) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const auto lower = static_cast<unsigned>(c | 0x20);
    const unsigned digit = c >= '0' && c <= '9'           ? static_cast<unsigned>(c - '0')
                           : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                          : 99;
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

// '\n' and the like; nothing for those that need digits.
std::optional<char> simple_escape(char letter) {
  constexpr std::string_view kLetters = "abfnrtv\\?\"'`";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?\"'`";
  const std::size_t at = kLetters.find(letter);
  if (at == std::string_view::npos) return std::nullopt;
  return kMeanings[at];
}

struct NumericEscape {
  std::size_t skip = 2;  // backslash and letter
  std::size_t digits = 0;
  unsigned base = 16;
};

NumericEscape numeric_escape(char letter, bool bytes) {
  if (letter == 'x' || letter == 'X') return {.digits = 2};
  if (letter == 'u' && !bytes) return {.digits = 4};
  if (letter == 'U' && !bytes) return {.digits = 8};
  if (letter >= '0' && letter <= '3') return {.skip = 1, .digits = 3, .base = 8};
  return {};
}

// Reads the escape at the beginning of `text`, takes it off and appends what it stands for.
Status append_escape(std::string& out, std::string_view& text, bool bytes) {
  if (text.size() < 2) return bad_escape(text);
  if (const auto simple = simple_escape(text[1])) {
    out += *simple;
    text.remove_prefix(2);
    return ok_status();
  }
  const NumericEscape escape = numeric_escape(text[1], bytes);
  const std::string_view digits = text.substr(escape.skip, escape.digits);
  const auto value = digits_value(digits, escape.base);
  if (escape.digits == 0 || digits.size() != escape.digits || !value) return bad_escape(text);
  if (bytes) {
    out += static_cast<char>(*value);
  } else {
    if (!is_code_point(*value)) return bad_escape(text);
    append_code_point(out, *value);
  }
  text.remove_prefix(escape.skip + escape.digits);
  return ok_status();
}

}  // namespace

Result<std::string> unquoted(std::string_view literal) {
  bool raw = false;
  bool bytes = false;
  while (literal[0] != '"' && literal[0] != '\'') {
    ((literal[0] | 0x20) == 'r' ? raw : bytes) = true;
    literal.remove_prefix(1);
  }
  const bool triple = literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const std::size_t quotes = triple ? 3 : 1;
  std::string_view text = literal.substr(quotes, literal.size() - 2 * quotes);
  if (raw) return std::string(text);
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\\') {
      TUTTI_TRY(append_escape(out, text, bytes));
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace tutti::cel
