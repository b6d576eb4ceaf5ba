// Kubernetes resource quantities, exactly: "500m", "1.5Gi", "2e3", "0.1". No floating point.
//
// The value is kept as an integer count of nano-units in 128 bits: magnitudes up to 2^63-1 of the
// unit, resolution 1n, with room to add ten thousand million of them. Finer values are rounded up.
// Larger ones are an error here: upstream caps binary ones and lets decimal ones grow, and a
// scheduler that silently counts less than was asked for would over-commit.
#pragma once

#include <compare>

#include "base/result.h"
#include "base/std.h"

namespace tutti {

class Quantity {
 public:
  constexpr Quantity() = default;
  // [+-] digits [. digits] suffix, where the suffix is one of "" n u m k M G T P E, Ki Mi Gi Ti Pi
  // Ei, or an exponent (e3, E-2). No blanks. The error names the text.
  static Result<Quantity> parse(std::string_view text);
  static Quantity from_units(std::int64_t units);
  static Quantity from_milli(std::int64_t milli);

  // Rounded away from zero to a whole (milli-)unit, as the scheduler counts them. Values beyond
  // int64 are clamped to int64's limits.
  std::int64_t units() const;
  std::int64_t milli() const;

  bool negative() const { return nano_ < 0; }
  bool zero() const { return nano_ == 0; }
  // Canonical text: the largest suffix that leaves a whole mantissa, in the family (decimal,
  // binary, exponent) of the input. Binary values below 1024, or with a fraction, are written in
  // decimal.
  std::string text() const;

  // The sum is written in the family of the left side, or of the right if the left is zero.
  Quantity operator+(const Quantity& other) const;
  Quantity operator-(const Quantity& other) const;
  // The nearest double; for showing and for rough comparison only.
  double approximate() const;
  // Values compare; the suffix family does not take part.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nano_ == b.nano_; }
  friend auto operator<=>(const Quantity& a, const Quantity& b) { return a.nano_ <=> b.nano_; }

 private:
  enum class Format : std::uint8_t { decimal, binary, exponent };
  __extension__ typedef __int128 Nano;
  struct Suffix;

  constexpr Quantity(Nano nano, Format format) : nano_(nano), format_(format) {}
  static const Suffix* find_suffix(std::string_view text);

  Nano nano_ = 0;
  Format format_ = Format::decimal;
};

}  // namespace tutti
