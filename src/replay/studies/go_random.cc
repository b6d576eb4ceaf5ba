#include "replay/studies/go_random.h"

#include <utility>

#include "base/check.h"

namespace tutti::replay {
namespace {

constexpr std::size_t kLength = 607;
constexpr std::size_t kShort = 334;  // z^607 = z^334 + 1
constexpr std::int64_t kPrime = (std::int64_t{1} << 31) - 1;

using Polynomial = std::array<std::uint64_t, kLength>;

// The Lehmer generator that fills states.
class Lehmer {
 public:
  explicit Lehmer(std::int64_t seed) : x_(seed) {
    constexpr int kSkipped = 20;
    for (int i = 0; i < kSkipped; ++i) next();
  }
  std::uint64_t next() {
    constexpr std::int64_t kFactor = 48271;
    x_ = kFactor * x_ % kPrime;
    return static_cast<std::uint64_t>(x_);
  }
  // Three draws, shifted by `high`, by half of that, and not.
  std::uint64_t word(unsigned high) {
    const std::uint64_t first = next() << high;
    const std::uint64_t second = next() << (high / 2);
    return first ^ second ^ next();
  }

 private:
  std::int64_t x_;
};

// a x b modulo z^607 - z^334 - 1, coefficients modulo 2^64.
Polynomial product(const Polynomial& a, const Polynomial& b) {
  std::vector<std::uint64_t> wide(2 * kLength - 1);
  for (std::size_t i = 0; i < kLength; ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < kLength; ++j) wide[i + j] += a[i] * b[j];
  }
  for (std::size_t i = wide.size(); i-- > kLength;) {
    wide[i - kLength] += wide[i];
    wide[i - kLength + kShort] += wide[i];
  }
  Polynomial reduced{};
  for (std::size_t i = 0; i < kLength; ++i) reduced[i] = wide[i];
  return reduced;
}

Polynomial power_of_z(std::uint64_t exponent) {
  Polynomial result{};
  result[0] = 1;
  Polynomial square{};
  square[1] = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product(result, square);
    square = product(square, square);
  }
  return result;
}

// Where step n of the recurrence writes, for n from -607 on.
std::size_t position_of(std::int64_t step) {
  constexpr auto kWords = static_cast<std::int64_t>(kLength);
  return static_cast<std::size_t>(((333 - step) % kWords + kWords) % kWords);
}

}  // namespace

const GoRandom::State& GoRandom::constants() {
  static const State state = [] {
    constexpr std::int64_t kSteps = 7'800'000'000'000;
    State start{};
    Lehmer lehmer(1);
    for (std::uint64_t& word : start) word = lehmer.word(20);
    // s(k) is what step k - 607 wrote; twice the length is enough to shift the combination along.
    std::vector<std::uint64_t> s(2 * kLength);
    for (std::size_t k = 0; k < s.size(); ++k) {
      const auto step = static_cast<std::int64_t>(k) - static_cast<std::int64_t>(kLength);
      s[k] = k < kLength ? start[position_of(step)] : s[k - kLength] + s[k - kLength + kShort];
    }
    const Polynomial jump = power_of_z(static_cast<std::uint64_t>(kSteps));
    State after{};
    for (std::size_t j = 0; j < kLength; ++j) {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < kLength; ++i) word += jump[i] * s[i + j];
      const auto step = kSteps + static_cast<std::int64_t>(j) - static_cast<std::int64_t>(kLength);
      after[position_of(step)] = word;
    }
    return after;
  }();
  return state;
}

GoRandom::GoRandom(std::int64_t seed) {
  constexpr std::int64_t kInsteadOfZero = 89482311;
  seed %= kPrime;
  if (seed < 0) seed += kPrime;
  Lehmer lehmer(seed == 0 ? kInsteadOfZero : seed);
  const State& mixed = constants();
  for (std::size_t i = 0; i < kWords; ++i) state_[i] = lehmer.word(40) ^ mixed[i];
}

std::uint64_t GoRandom::next() {
  tap_ = (tap_ + kWords - 1) % kWords;
  feed_ = (feed_ + kWords - 1) % kWords;
  return state_[feed_] += state_[tap_];
}

std::int64_t GoRandom::int63() {
  return static_cast<std::int64_t>(next() & (~std::uint64_t{0} >> 1));
}

std::int32_t GoRandom::below(std::int32_t n) {
  TUTTI_CHECK(n > 0, "a draw below nothing");
  if ((n & (n - 1)) == 0) return int31() & (n - 1);
  const std::int64_t range = std::int64_t{1} << 31;
  const auto most = static_cast<std::int32_t>(range - 1 - range % n);
  std::int32_t drawn = int31();
  while (drawn > most) drawn = int31();
  return drawn % n;
}

void GoRandom::shuffle(std::span<std::uint32_t> items) {
  for (std::size_t i = items.size(); i-- > 1;) {
    const auto n = static_cast<std::uint32_t>(i + 1);
    std::uint64_t wide = std::uint64_t{uint32()} * n;
    if (static_cast<std::uint32_t>(wide) < n) {
      const std::uint32_t surplus = (0 - n) % n;
      while (static_cast<std::uint32_t>(wide) < surplus) wide = std::uint64_t{uint32()} * n;
    }
    std::swap(items[i], items[static_cast<std::size_t>(wide >> 32)]);
  }
}

std::vector<std::uint32_t> GoRandom::permutation(std::uint32_t n) {
  std::vector<std::uint32_t> made(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto j = static_cast<std::size_t>(below(static_cast<std::int32_t>(i + 1)));
    made[i] = made[j];
    made[j] = i;
  }
  return made;
}

}  // namespace tutti::replay
