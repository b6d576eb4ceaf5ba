#include "wire/plain_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "wire/number_text.h"

namespace tutti::wire {
namespace {

using Kind = PlainScalar::Kind;

struct Word {
  std::string_view text;
  Kind kind;
  bool boolean = false;
};

constexpr auto kWords = std::to_array<Word>({
    {"~", Kind::null},
    {"null", Kind::null},
    {"Null", Kind::null},
    {"NULL", Kind::null},
    {"y", Kind::boolean, true},
    {"Y", Kind::boolean, true},
    {"yes", Kind::boolean, true},
    {"Yes", Kind::boolean, true},
    {"YES", Kind::boolean, true},
    {"true", Kind::boolean, true},
    {"True", Kind::boolean, true},
    {"TRUE", Kind::boolean, true},
    {"on", Kind::boolean, true},
    {"On", Kind::boolean, true},
    {"ON", Kind::boolean, true},
    {"n", Kind::boolean},
    {"N", Kind::boolean},
    {"no", Kind::boolean},
    {"No", Kind::boolean},
    {"NO", Kind::boolean},
    {"false", Kind::boolean},
    {"False", Kind::boolean},
    {"FALSE", Kind::boolean},
    {"off", Kind::boolean},
    {"Off", Kind::boolean},
    {"OFF", Kind::boolean},
    {".nan", Kind::not_finite},
    {".NaN", Kind::not_finite},
    {".NAN", Kind::not_finite},
    {".inf", Kind::not_finite},
    {".Inf", Kind::not_finite},
    {".INF", Kind::not_finite},
    {"+.inf", Kind::not_finite},
    {"+.Inf", Kind::not_finite},
    {"+.INF", Kind::not_finite},
    {"-.inf", Kind::not_finite},
    {"-.Inf", Kind::not_finite},
    {"-.INF", Kind::not_finite},
});
constexpr std::size_t kLongestWord = 5;
constexpr std::string_view kWordBegins = "~nNyYtTfFoO.+-";  // spares most text the search

PlainScalar integer_scalar(std::int64_t value) { return {.kind = Kind::integer, .integer = value}; }

PlainScalar number_scalar(std::string literal) {
  if (const auto whole = integer_of(literal)) return integer_scalar(*whole);
  return {.kind = Kind::number, .number = std::move(literal)};
}

// Drops the sign; true if it was a minus.
bool take_sign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

// Drops the prefix that names a base: 0x, 0o or a mere 0, 0b.
int take_base(std::string_view& text) {
  if (text.size() < 2 || text.front() != '0') return 10;
  const char letter = text[1];
  const int base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
  const bool has_letter = base != 8 || letter == 'o' || letter == 'O';
  text.remove_prefix(has_letter ? 2 : 1);
  return base;
}

std::optional<PlainScalar> as_integer(std::string_view text) {
  const bool negative = take_sign(text);
  const int base = take_base(text);
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (negative && magnitude > kMax + 1) return std::nullopt;
  if (negative) return integer_scalar(static_cast<std::int64_t>(-magnitude));
  if (magnitude <= kMax) return integer_scalar(static_cast<std::int64_t>(magnitude));
  return PlainScalar{.kind = Kind::number, .number = std::to_string(magnitude)};
}

// YAML lets a float omit digits on either side of the point, begin with zeros and carry a plus;
// JSON does not.
std::string to_json_literal(std::string_view text) {
  std::string literal = take_sign(text) ? "-" : "";
  const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string_view whole = mantissa.substr(0, point);
  const std::string_view fraction = mantissa.substr(point);
  const bool has_digits = !whole.empty() || fraction.size() > 1;
  if (!has_digits || whole.find_first_not_of("0123456789") != std::string_view::npos) return {};
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  literal += whole.empty() ? "0" : whole;
  if (fraction.size() > 1) literal += fraction;
  literal += text.substr(exponent);
  return literal;
}

// A float beyond the range of a double is a string, as for kubectl: `7e12345` is a commit's name.
std::optional<PlainScalar> as_float(std::string_view text) {
  std::string literal = to_json_literal(text);
  if (!is_json_number(literal) || !double_of(literal)) return std::nullopt;
  return number_scalar(std::move(literal));
}

bool may_begin_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'; }

}  // namespace

PlainScalar resolve_plain(std::string_view text) {
  if (text.empty()) return {.kind = Kind::null};
  if (text.size() <= kLongestWord && kWordBegins.find(text.front()) != std::string_view::npos) {
    const auto word = std::ranges::find(kWords, text, &Word::text);
    if (word != kWords.end()) return {.kind = word->kind, .boolean = word->boolean};
  }
  if (!may_begin_number(text.front())) return {};
  std::string digits(text);
  if (text.front() != '.') std::erase(digits, '_');
  if (auto integer = as_integer(digits)) return *integer;
  if (auto real = as_float(digits)) return *real;
  return {};
}

}  // namespace tutti::wire
