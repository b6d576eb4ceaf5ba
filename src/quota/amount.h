// Amounts of quota, in base units of their resource (milli for cpu, whole units else).
//
// What objects say is an int64; sums of such are kept in 128 bits, which 2^64 of the largest do not
// overflow. Sums are therefore exact, and taking away is the inverse of adding, whatever the
// amounts. Only what leaves this module is brought back to an int64, at its nearest end.
#pragma once

#include <algorithm>
#include <limits>

#include "base/std.h"

namespace tutti::quota {

__extension__ typedef __int128 Amount;

constexpr std::int64_t to_int64(Amount amount) {
  constexpr Amount low = std::numeric_limits<std::int64_t>::min();
  constexpr Amount high = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(amount, low, high));
}

constexpr Amount at_least_zero(Amount amount) { return amount > 0 ? amount : Amount{0}; }

// What is left of `amount` after `used`, if anything.
constexpr Amount left_of(Amount amount, Amount used) { return at_least_zero(amount - used); }

}  // namespace tutti::quota
