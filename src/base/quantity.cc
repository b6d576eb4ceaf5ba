// A quantity's text is a decimal number times a scale. The number may have any count of digits, so
// it is never held as one integer: the whole part is built up until it passes the limit, the
// fraction is folded from its last digit with a sticky remainder that decides the rounding.
#include "base/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/ascii.h"

namespace tutti {
namespace {

__extension__ typedef __int128 Wide;

constexpr Wide kNanoPerUnit = 1'000'000'000;
constexpr Wide kNanoPerMilli = 1'000'000;
constexpr Wide kNanoLimit = Wide{std::numeric_limits<std::int64_t>::max()} * kNanoPerUnit;
// An exponent beyond this decides the answer alone: over the limit, or below 1n.
constexpr std::int64_t kExponentCap = std::int64_t{1} << 40;

// Digits of a number whose decimal point stands before digit `point`; the point may lie outside of
// the text on either side, as an exponent moves it.
struct Decimal {
  std::string digits;
  std::int64_t point = 0;
};

// The whole part, or nothing once it is above `limit`. Stops early, so a huge exponent costs
// nothing.
std::optional<Wide> whole_part(const Decimal& number, Wide limit) {
  Wide whole = 0;
  for (std::int64_t i = 0; i < number.point; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at >= number.digits.size() && whole == 0) break;
    whole = whole * 10 + (at < number.digits.size() ? number.digits[at] - '0' : 0);
    if (whole > limit) return std::nullopt;
  }
  return whole;
}

// The fraction times `scale`, rounded up. Dividing digit by digit from the end gives the exact
// floor, because floor((d + floor(y)) / 10) = floor((d + y) / 10) for whole d.
Wide scaled_fraction(const Decimal& number, Wide scale) {
  Wide value = 0;
  bool inexact = false;
  const auto fold = [&](int digit) {
    const Wide sum = value + digit * scale;
    inexact = inexact || sum % 10 != 0;
    value = sum / 10;
  };
  const auto size = static_cast<std::int64_t>(number.digits.size());
  const std::int64_t first = std::max<std::int64_t>(number.point, 0);
  for (std::int64_t i = size - 1; i >= first; --i) {
    fold(number.digits[static_cast<std::size_t>(i)] - '0');
  }
  for (std::int64_t i = number.point; i < 0 && value != 0; ++i) fold(0);
  return value + (inexact ? 1 : 0);
}

// The number times `scale`, rounded up, or nothing when it is above the limit.
std::optional<Wide> scaled(const Decimal& number, Wide scale) {
  const auto whole = whole_part(number, kNanoLimit / scale);
  if (!whole) return std::nullopt;
  const Wide value = *whole * scale + scaled_fraction(number, scale);
  if (value > kNanoLimit) return std::nullopt;
  return value;
}

// Takes "12.50" off the front of `text`; nothing when there is no digit.
std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal number;
  const auto take_digits = [&] {
    while (!text.empty() && is_digit(text.front())) {
      number.digits += text.front();
      text.remove_prefix(1);
    }
  };
  take_digits();
  number.point = static_cast<std::int64_t>(number.digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    take_digits();
  }
  if (number.digits.empty()) return std::nullopt;
  return number;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool minus = text.front() == '-';
  text.remove_prefix(1);
  return minus;
}

// Reads "e3", "E-2", "e+6".
std::optional<std::int64_t> exponent_of(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  const bool minus = take_sign(suffix);
  if (suffix.empty() || !std::all_of(suffix.begin(), suffix.end(), is_digit)) return std::nullopt;
  std::int64_t exponent = 0;
  for (const char c : suffix) exponent = std::min(exponent * 10 + (c - '0'), kExponentCap);
  return minus ? -exponent : exponent;
}

constexpr Wide power(Wide base, int exponent) {
  Wide result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

std::string digits_of(Wide value) {
  std::string text;
  const bool minus = value < 0;
  // Digit by digit with the sign left on: the smallest value has no positive twin.
  do {
    const int digit = static_cast<int>(value % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (minus) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

Wide divided_away_from_zero(Wide value, Wide divisor) {
  const Wide quotient = value / divisor;
  if (value % divisor == 0) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

std::int64_t clamped(Wide value) {
  constexpr Wide kMin = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, kMin, kMax));
}

// Divides by `base` while that is exact, at most `limit` times; returns how often.
int strip_factor(Wide& mantissa, Wide base, int limit) {
  int times = 0;
  while (times < limit && mantissa % base == 0) {
    mantissa /= base;
    ++times;
  }
  return times;
}

constexpr std::array<std::string_view, 10> kDecimalNames = {"n", "u", "m", "",  "k",
                                                            "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinaryNames = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string decimal_text(Wide nano) {
  const int step = strip_factor(nano, 1000, 9);
  return digits_of(nano).append(kDecimalNames[static_cast<std::size_t>(step)]);
}

std::string exponent_text(Wide nano) {
  const int exponent = 3 * strip_factor(nano, 1000, 9) - 9;
  return digits_of(nano) + (exponent == 0 ? "" : "e" + std::to_string(exponent));
}

std::string binary_text(Wide units) {
  const int step = strip_factor(units, 1024, 6);
  return digits_of(units).append(kBinaryNames[static_cast<std::size_t>(step)]);
}

Error malformed(std::string_view text, std::string_view why) {
  return {Error::Code::malformed, std::string("quantity '").append(text).append("' ").append(why)};
}

}  // namespace

struct Quantity::Suffix {
  Nano scale;  // nano-units in one
  Format format;
};

const Quantity::Suffix* Quantity::find_suffix(std::string_view text) {
  static constexpr auto kDecimal = [] {
    std::array<Suffix, kDecimalNames.size()> table{};
    for (int i = 0; i < 10; ++i) {
      table[static_cast<std::size_t>(i)] = {power(1000, i), Format::decimal};
    }
    return table;
  }();
  static constexpr auto kBinary = [] {
    std::array<Suffix, kBinaryNames.size()> table{};
    for (int i = 0; i < 7; ++i) {
      table[static_cast<std::size_t>(i)] = {kNanoPerUnit * power(1024, i), Format::binary};
    }
    return table;
  }();
  for (std::size_t i = 0; i < kDecimal.size(); ++i) {
    if (text == kDecimalNames[i]) return &kDecimal[i];
  }
  for (std::size_t i = 1; i < kBinary.size(); ++i) {
    if (text == kBinaryNames[i]) return &kBinary[i];
  }
  return nullptr;
}

Result<Quantity> Quantity::parse(std::string_view text) {
  std::string_view rest = text;
  const bool minus = take_sign(rest);
  auto number = take_decimal(rest);
  if (!number) return malformed(text, "has no digits");

  Suffix suffix{kNanoPerUnit, Format::exponent};
  if (const Suffix* known = find_suffix(rest)) {
    suffix = *known;
  } else if (const auto exponent = exponent_of(rest)) {
    number->point += *exponent;
  } else {
    return malformed(text, "has an unknown suffix");
  }

  const auto magnitude = scaled(*number, suffix.scale);
  if (!magnitude) return malformed(text, "is too large");
  return Quantity(minus ? -*magnitude : *magnitude, suffix.format);
}

Quantity Quantity::from_units(std::int64_t units) {
  return {units * kNanoPerUnit, Format::decimal};
}

Quantity Quantity::from_milli(std::int64_t milli) {
  return {milli * kNanoPerMilli, Format::decimal};
}

std::int64_t Quantity::units() const {
  return clamped(divided_away_from_zero(nano_, kNanoPerUnit));
}

std::int64_t Quantity::milli() const {
  return clamped(divided_away_from_zero(nano_, kNanoPerMilli));
}

std::string Quantity::text() const {
  if (nano_ == 0) return "0";
  if (format_ == Format::exponent) return exponent_text(nano_);
  const bool whole = nano_ % kNanoPerUnit == 0;
  const Wide units = nano_ / kNanoPerUnit;
  const bool small = units > -1024 && units < 1024;
  if (format_ == Format::binary && whole && !small) return binary_text(units);
  return decimal_text(nano_);
}

Quantity Quantity::operator+(const Quantity& other) const {
  return {nano_ + other.nano_, zero() ? other.format_ : format_};
}

Quantity Quantity::operator-(const Quantity& other) const {
  return {nano_ - other.nano_, zero() ? other.format_ : format_};
}

double Quantity::approximate() const { return static_cast<double>(nano_) / 1e9; }

}  // namespace tutti
