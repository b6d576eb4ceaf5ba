// Repeatable randomness: xoshiro256** (Blackman and Vigna), its state filled from the seed by
// splitmix64. The same seed gives the same numbers on every machine, which std::mt19937 promises
// but the standard distributions do not.
#pragma once

#include <array>
#include <bit>

#include "base/check.h"
#include "base/std.h"

namespace tutti {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, n), without the bias of a plain remainder. Requires n > 0.
  std::uint64_t below(std::uint64_t n) {
    TUTTI_CHECK(n > 0);
    // The high half of next() × n is the answer; draws whose low half falls into the 2^64 mod n
    // surplus are thrown away (Lemire, 2019).
    const std::uint64_t surplus = (0 - n) % n;
    for (;;) {
      const Product product = Product{next()} * n;
      if (static_cast<std::uint64_t>(product) >= surplus) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }

 private:
  __extension__ typedef unsigned __int128 Product;

  static std::uint64_t split_mix(std::uint64_t& seed) {
    std::uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace tutti
