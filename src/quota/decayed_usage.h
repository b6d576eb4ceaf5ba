// Decayed usage: how much a LocalQueue has used lately, for whose turn it is inside one queue.
//
//   consumed' = consumed + (usage − consumed) · α(time passed),   α(t) = 1 − 2^(−t / half life)
//
// Whoever starts something is charged a penalty of α(sampling interval) · request at once, so that
// many starts between two samples do not all look free. Powers of two come from a table of fixed
// point numbers: every machine decides alike.
#pragma once

#include "base/std.h"
#include "quota/amount.h"
#include "quota/weight.h"

namespace tutti::quota {

// 2^(−numerator/denominator) in units of 2^−62, off by less than 2^−32. Requires 0 ≤ numerator and
// 0 < denominator; 0 from 62 half lives on.
std::uint64_t power_of_half(std::int64_t numerator, std::int64_t denominator);

// An amount in units of 2^−20 of its base unit: usage far below one milli-unit is kept, without
// which it would stay 0 for ever where half lives are long.
struct DecayedAmount {
  static constexpr int kFractionBits = 20;
  static constexpr Amount from(std::int64_t amount) { return Amount{amount} << kFractionBits; }

  Amount value = 0;

  // Lets `passed` go by with `usage` in use; both times in one unit. Without a half life, history
  // is dropped.
  void sample(std::int64_t usage, std::int64_t passed, std::int64_t half_life);
};

// What a start adds until the next sample, in units of a DecayedAmount; 0 without a half life.
Amount start_penalty(std::int64_t request, std::int64_t sampling_interval, std::int64_t half_life);

// A LocalQueue's place by history: the weighted sum of its resources (consumed and
// pending penalties) over its own weight. Weight 0 comes last.
class History {
 public:
  explicit History(Weight queue_weight) : queue_weight_(queue_weight) {}
  void add(Amount consumed, Weight resource_weight);
  // The sum over the weight, rounded down to 2^−20 and cut off at 2^80; the largest for weight 0.
  Amount value() const;

 private:
  Weight queue_weight_;
  Amount sum_ = 0;  // of consumed amounts times their weights
};

}  // namespace tutti::quota
