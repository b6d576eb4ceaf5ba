// How long to wait before asking again.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/random.h"
#include "base/std.h"
#include "base/time.h"

namespace tutti::kube {

inline constexpr Millis kFirstBackoff{100};
inline constexpr Millis kLongestBackoff{5'000};
// What a server may ask for at most: a wrong header must not silence us for a day.
inline constexpr Millis kLongestRetryAfter{60'000};

// The wait after the n-th failure in a row, n from 1: anywhere between nothing and a bound that
// doubles each time ("full jitter": clients that failed together come back apart), on top of what
// the server asked for.
inline Millis backoff(Random& random, int failures, std::optional<Millis> retry_after = {}) {
  const int doublings = std::clamp(failures - 1, 0, 16);
  const Millis bound = std::min(kLongestBackoff, kFirstBackoff * (1 << doublings));
  const Millis jitter{random.below(static_cast<std::uint64_t>(bound.count()) + 1)};
  return jitter + std::clamp(retry_after.value_or(Millis{0}), Millis{0}, kLongestRetryAfter);
}

}  // namespace tutti::kube
