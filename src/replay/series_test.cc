#include "replay/series.h"

#include <gtest/gtest.h>

namespace tutti::replay {
namespace {

TEST(Series, areMeansOverSteps) {
  Series series;
  series.add(Millis{500}, {4, 8, 1});
  series.add(Millis{1000}, {8, 8, 5});
  const auto steps = series.steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].allocated, 6);
  EXPECT_EQ(steps[0].most_waiting, 5);
  EXPECT_EQ(steps[1].allocated, 8);  // over the half second that there is
}

TEST(Series, keepTheirSumAndTheirExtremesHoweverLongTheyGrow) {
  Series series;
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Millis span{1 + i * 37 % 5000};
    series.add(span, {i % 100, 100, i == 777 ? 999 : i % 7});
    sum += static_cast<double>(i % 100) * static_cast<double>(span.count());
  }
  const auto steps = series.steps();
  EXPECT_LE(steps.size(), 2000U);
  EXPECT_GT(steps.size(), 900U);
  double again = 0;
  std::int64_t most = 0;
  for (const auto& step : steps) {
    again += step.allocated * static_cast<double>(series.width().count());
    most = std::max(most, step.most_waiting);
  }
  EXPECT_NEAR(again / sum, 1, 0.01);  // but for the last step, which is shorter
  EXPECT_EQ(most, 999);
}

}  // namespace
}  // namespace tutti::replay
