#include "quota/decayed_usage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace tutti::quota {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::uint64_t kWeightOfOne = 1'000'000'000;

double shown(Amount fixed) { return std::ldexp(static_cast<double>(fixed), -20); }

TEST(DecayedUsage, movesTowardsWhatIsInUse) {
  DecayedAmount consumed{DecayedAmount::from(40)};
  consumed.sample(100, 5 * kMinute, kHour);
  EXPECT_NEAR(shown(consumed.value), 43.37, 0.005);
  consumed.sample(100, 1000 * kHour, kHour);
  EXPECT_EQ(consumed.value, DecayedAmount::from(100));
  consumed.sample(100, kHour, 0);
  EXPECT_EQ(consumed.value, 0);
}

TEST(DecayedUsage, halvesInAHalfLife) {
  DecayedAmount consumed{DecayedAmount::from(40)};
  consumed.sample(0, kHour, kHour);
  EXPECT_EQ(consumed.value, DecayedAmount::from(20));
}

TEST(DecayedUsage, keepsWhatIsFarBelowAUnit) {
  DecayedAmount consumed;
  for (int i = 0; i < 12; ++i) consumed.sample(1, kMinute, 1000 * kHour);
  EXPECT_GT(consumed.value, 0);
}

TEST(DecayedUsage, chargesAStartAtOnce) {
  EXPECT_NEAR(shown(start_penalty(64, 5 * kMinute, kHour)), 3.59, 0.005);
  EXPECT_EQ(start_penalty(64, 5 * kMinute, 0), 0);
}

TEST(DecayedUsage, isASumByWeights) {
  History history(Weight{2 * kWeightOfOne});
  DecayedAmount gpu{DecayedAmount::from(40)};
  gpu.sample(100, 5 * kMinute, kHour);
  history.add(gpu.value, Weight{10 * kWeightOfOne});
  history.add(DecayedAmount::from(500), Weight{kWeightOfOne / 10});
  EXPECT_NEAR(shown(history.value()), 241.8, 0.05);
}

TEST(DecayedUsage, ofAQueueWithoutWeightComesLast) {
  History none(Weight{0});
  History most(Weight{1});
  for (int i = 0; i < 9; ++i) most.add(DecayedAmount::from(INT64_MAX), Weight{~0ULL});
  EXPECT_GT(none.value(), most.value());
  EXPECT_GT(most.value(), History(Weight{1}).value());
}

RC_GTEST_PROP(PowerOfHalfProperty, isCloseToTheRealOne, ()) {
  const auto denominator = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
  const auto numerator = *rc::gen::inRange<std::int64_t>(0, 5'000'000'000);
  const double expected =
      std::exp2(-static_cast<double>(numerator) / static_cast<double>(denominator));
  const double found = std::ldexp(static_cast<double>(power_of_half(numerator, denominator)), -62);
  RC_ASSERT(std::abs(found - expected) < std::ldexp(1.0, -32));
}

}  // namespace
}  // namespace tutti::quota
