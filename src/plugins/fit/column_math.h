// Percentages over node columns, a block of nodes at a time.
//
// Scores are integer percentages, floor(100·part/whole). Integer division cannot be vectorised, so
// blocks of ordinary figures are computed in doubles: both operands and their product stay below
// 2^53, where a correctly rounded quotient lies on the right side of every whole number. Blocks
// with larger figures (a node with 64 TiB or more) take the scalar way, with the same result.
#pragma once

#include <bit>

#include "base/std.h"

namespace tutti::plugins {

inline constexpr std::size_t kBlock = 256;  // nodes; a multiple of Bitset::kWordBits
// 101 · 2^46 < 2^53: see above.
inline constexpr std::int64_t kFastLimit = std::int64_t{1} << 46;

// Exact for 0 <= value < 2^52. Unlike a cast it needs no instruction that plain x86-64 lacks in
// vector form: the value becomes the mantissa of a number in [2^52, 2^53).
inline double to_double(std::int64_t value) {
  constexpr std::int64_t kExponent = 0x4330000000000000;
  return std::bit_cast<double>(value | kExponent) - 4503599627370496.0;
}

// Towards zero, for |value| < 2^31.
inline double truncated(double value) {
  return static_cast<double>(static_cast<std::int32_t>(value));
}

// Written so that the compiler finds the one instruction; std::min takes references and does not
// vectorise here.
inline double smaller(double a, double b) { return a < b ? a : b; }
inline double larger(double a, double b) { return a > b ? a : b; }

// 1 for a whole number above zero, 0 for zero: a condition that is only arithmetic.
inline double positive(double whole_number) { return smaller(whole_number, 1.0); }

inline bool all_small(std::span<const std::int64_t> figures) {
  std::uint64_t bits = 0;
  for (const std::int64_t figure : figures) bits |= static_cast<std::uint64_t>(figure);
  return bits < static_cast<std::uint64_t>(kFastLimit);
}

// floor(100·part/whole) for 0 <= part <= whole, whole > 0.
inline std::int64_t percent(std::int64_t part, std::int64_t whole) {
  __extension__ typedef unsigned __int128 Wide;
  return static_cast<std::int64_t>(static_cast<Wide>(part) * 100 / static_cast<Wide>(whole));
}

// used + request, held at the largest value instead of overflowing.
inline std::int64_t sum_or_limit(std::int64_t used, std::int64_t request) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(used, request, &sum) ? INT64_MAX : sum;
}

}  // namespace tutti::plugins
