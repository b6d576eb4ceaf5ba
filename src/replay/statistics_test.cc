#include "replay/statistics.h"

#include <gtest/gtest.h>

namespace tutti::replay {
namespace {

TEST(Statistics, takesPercentilesThatOccurred) {
  EXPECT_EQ(percentile({5, 1, 4, 2, 3}, 0.5), 3);
  EXPECT_EQ(percentile({4, 1, 2, 3}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 2, 3}, 0.99), 4);
  EXPECT_EQ(percentile({7}, 0), 7);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

TEST(Statistics, knowsStudentsDistribution) {
  // From printed tables.
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 0.001);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 0.001);
  EXPECT_NEAR(student_t_quantile(0.975, 30), 2.042, 0.001);
  EXPECT_NEAR(student_t_quantile(0.995, 4), 4.604, 0.001);
  EXPECT_NEAR(student_t(0, 5), 0.5, 1e-12);
  EXPECT_NEAR(student_t(-2.262, 9), 0.025, 1e-4);
}

TEST(Statistics, givesNoIntervalOfOneValue) {
  EXPECT_FALSE(interval_of(std::vector<double>{3}).half.has_value());
  const Interval two = interval_of(std::vector<double>{1, 3});
  EXPECT_EQ(two.mean, 2);
  EXPECT_NEAR(two.deviation, 1.41421356, 1e-8);
  EXPECT_NEAR(*two.half, 12.706, 0.001);
}

TEST(Statistics, pairsBySeedAndCorrectsForManyPairs) {
  const std::vector<double> base = {10, 20, 30, 40};
  const std::vector<double> higher = {11.0, 21.1, 31.0, 41.1};
  const Pairing clear = pair_up(higher, base);
  EXPECT_NEAR(clear.difference.mean, 1.05, 1e-9);
  EXPECT_EQ(clear.a_higher, 4U);
  EXPECT_TRUE(clear.shown());
  EXPECT_FALSE(pair_up(base, base).shown());
  std::vector<Pairing> many(3);
  many[0].p = 0.03;
  many[1].p = 0.01;
  many[2].p = 0.04;
  correct_by_holm(many);
  EXPECT_NEAR(many[1].p_holm, 0.03, 1e-12);
  EXPECT_NEAR(many[0].p_holm, 0.06, 1e-12);
  EXPECT_NEAR(many[2].p_holm, 0.06, 1e-12);
}

}  // namespace
}  // namespace tutti::replay
