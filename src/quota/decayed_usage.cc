#include "quota/decayed_usage.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"

namespace tutti::quota {
namespace {

__extension__ typedef unsigned __int128 Bits;

constexpr int kUnitBits = 62;
constexpr std::uint64_t kUnit = std::uint64_t{1} << kUnitBits;
constexpr Amount kLargest = Amount{1} << 100;

// 2^(−2^−i) for i = 1 to 32, in units of 2^−62.
constexpr std::array<std::uint64_t, 32> kRoots = {
    0x2d413cccfe779921, 0x35d13f32b5a75abd, 0x3ab031b9f7490e4c, 0x3d495f454921b30b,
    0x3ea0ecb6dc8a80cf, 0x3f4f83033d21b05d, 0x3fa784571ee3e213, 0x3fd3b2d65447b229,
    0x3fe9d59487236bb4, 0x3ff4e9d4703df843, 0x3ffa74acbdf6c9d5, 0x3ffd3a46ffc6e30f,
    0x3ffe9d1fa8010199, 0x3fff4e8ede053ad5, 0x3fffa747318376ac, 0x3fffd3a38961e6ff,
    0x3fffe9d1c0d8fd14, 0x3ffff4e8df7680c5, 0x3ffffa746f7dc0ec, 0x3ffffd3a37af8098,
    0x3ffffe9d1bd3e854, 0x3fffff4e8de8fe2c, 0x3fffffa746f44197, 0x3fffffd3a37a116b,
    0x3fffffe9d1bd04de, 0x3ffffff4e8de8179, 0x3ffffffa746f407f, 0x3ffffffd3a37a030,
    0x3ffffffe9d1bd014, 0x3fffffff4e8de809, 0x3fffffffa746f404, 0x3fffffffd3a37a02,
};

// amount · factor, rounded towards zero; the factor in units of 2^−62, at most 1.
Amount scaled(Amount amount, std::uint64_t factor) {
  const bool negative = amount < 0;
  const Bits size = static_cast<Bits>(negative ? -amount : amount);
  const Bits high = (size >> 32) * factor;
  const Bits low = (size & 0xffffffffU) * factor;
  const auto product = static_cast<Amount>((high + (low >> 32)) >> (kUnitBits - 32));
  return negative ? -product : product;
}

}  // namespace

std::uint64_t power_of_half(std::int64_t numerator, std::int64_t denominator) {
  TUTTI_CHECK(numerator >= 0 && denominator > 0);
  const std::int64_t halvings = numerator / denominator;
  if (halvings >= kUnitBits) return 0;
  const auto rest = static_cast<Bits>(numerator % denominator);
  const auto fraction = static_cast<std::uint64_t>((rest << 32) / static_cast<Bits>(denominator));
  Bits power = kUnit;
  for (std::size_t i = 0; i < kRoots.size(); ++i) {
    const bool counts = ((fraction >> (kRoots.size() - 1 - i)) & 1) != 0;
    if (counts) power = (power * kRoots[i] + kUnit / 2) >> kUnitBits;
  }
  return static_cast<std::uint64_t>(power) >> halvings;
}

void DecayedAmount::sample(std::int64_t usage, std::int64_t passed, std::int64_t half_life) {
  if (half_life <= 0) {
    value = 0;
    return;
  }
  value += scaled(from(usage) - value, kUnit - power_of_half(passed, half_life));
}

Amount start_penalty(std::int64_t request, std::int64_t sampling_interval, std::int64_t half_life) {
  if (half_life <= 0) return 0;
  const std::uint64_t alpha = kUnit - power_of_half(sampling_interval, half_life);
  return scaled(DecayedAmount::from(request), alpha);
}

void History::add(Amount consumed, Weight resource_weight) {
  TUTTI_CHECK(consumed >= 0);
  if (resource_weight.nano == 0 || consumed == 0) return;
  constexpr Amount kMost = std::numeric_limits<Amount>::max();
  const Amount room = (kMost - sum_) / static_cast<Amount>(resource_weight.nano);
  sum_ = consumed > room ? kMost : sum_ + consumed * static_cast<Amount>(resource_weight.nano);
}

Amount History::value() const {
  if (queue_weight_.nano == 0) return kLargest;
  return std::min(sum_ / static_cast<Amount>(queue_weight_.nano), kLargest - 1);
}

}  // namespace tutti::quota
