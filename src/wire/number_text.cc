#include "wire/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/ascii.h"

namespace tutti::wire {
namespace {

// Drops leading digits and says whether there were any.
bool skip_digits(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text.size() != before;
}

bool skip(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Exponents of more digits than any parser of ours counts in an int.
bool has_absurd_exponent(std::string_view literal) {
  const std::size_t mark = literal.find_first_of("eE");
  if (mark == std::string_view::npos) return false;
  const std::size_t digits = std::min(literal.find_first_of("123456789", mark), literal.size());
  return literal.size() - digits > 8;
}

}  // namespace

bool is_json_number(std::string_view text) {
  skip(text, "-");
  if (!skip(text, "0") && !skip_digits(text)) return false;
  if (skip(text, ".") && !skip_digits(text)) return false;
  if (skip(text, "eE")) {
    skip(text, "+-");
    if (!skip_digits(text)) return false;
  }
  return text.empty();
}

std::optional<std::int64_t> integer_of(std::string_view literal) {
  std::int64_t value = 0;
  const char* end = literal.data() + literal.size();
  const auto [stop, error] = std::from_chars(literal.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<double> double_of(std::string_view literal) {
  if (has_absurd_exponent(literal)) return std::nullopt;
  double value = 0;
  const auto [stop, error] =
      std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (error == std::errc{}) return value;
  // from_chars does not tell too large from too small; strtod does.
  value = std::strtod(std::string(literal).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

}  // namespace tutti::wire
