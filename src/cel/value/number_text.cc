#include "cel/value/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tutti::cel {
namespace {

// Enough for the longest plain double: 1.8e308 or 5e-324 with all its digits.
using Buffer = std::array<char, 1100>;

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

std::optional<double> not_finite(std::string_view magnitude) {
  if (equals_ignoring_case(magnitude, "nan")) return std::numeric_limits<double>::quiet_NaN();
  if (equals_ignoring_case(magnitude, "inf") || equals_ignoring_case(magnitude, "infinity")) {
    return std::numeric_limits<double>::infinity();
  }
  return std::nullopt;
}

}  // namespace

std::string plain_real_text(double value) {
  if (!std::isfinite(value)) return not_finite_text(value);
  Buffer buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), end.ptr};
}

std::string real_text(double value) {
  if (!std::isfinite(value)) return not_finite_text(value);
  const double magnitude = std::abs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return plain_real_text(value);
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  return {buffer.data(), end.ptr};
}

std::optional<double> parse_real(std::string_view text) {
  std::string_view rest = text;
  const bool minus = rest.starts_with('-');
  if (minus || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || rest[0] == '-' || rest[0] == '+') return std::nullopt;
  if (const auto special = not_finite(rest)) return minus ? -*special : *special;
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end != rest.data() + rest.size()) return std::nullopt;
  // Too large is an error; too small reads as zero, as in Go.
  if (error == std::errc::result_out_of_range) {
    const bool tiny =
        text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    if (!tiny) return std::nullopt;
    value = 0;
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return minus ? -value : value;
}

}  // namespace tutti::cel
