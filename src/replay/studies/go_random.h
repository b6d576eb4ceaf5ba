// GoRandom: the numbers of Go's math/rand for a seed, so that orders that others drew with it can
// be drawn again. For reproducing published experiments only.
//
// An additive lagged Fibonacci generator: 607 words, y(n) = y(n - 607) + y(n - 273) modulo 2^64.
// Seeding mixes a Lehmer generator with 607 constants, which are themselves the state of the
// recurrence after 7.8e12 steps; they are worked out once by raising a polynomial to that power.
#pragma once

#include <array>

#include "base/std.h"

namespace tutti::replay {

class GoRandom {
 public:
  explicit GoRandom(std::int64_t seed);

  std::int64_t int63();
  // Uniform in [0, n). Requires 0 < n < 2^31.
  std::int32_t below(std::int32_t n);
  void shuffle(std::span<std::uint32_t> items);
  // A permutation of 0..n-1.
  std::vector<std::uint32_t> permutation(std::uint32_t n);

 private:
  static constexpr std::size_t kWords = 607;
  using State = std::array<std::uint64_t, kWords>;
  static const State& constants();

  std::uint64_t next();
  std::int32_t int31() { return static_cast<std::int32_t>(int63() >> 32); }
  std::uint32_t uint32() { return static_cast<std::uint32_t>(int63() >> 31); }

  State state_{};
  std::size_t tap_ = 0;
  std::size_t feed_ = 334;
};

}  // namespace tutti::replay
