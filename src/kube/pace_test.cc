#include "kube/pace.h"

#include <gtest/gtest.h>

namespace tutti::kube {
namespace {

using namespace std::chrono_literals;

TEST(Pace, letsABurstGoAndThenSoManyASecond) {
  Pace pace({.per_second = 10, .burst = 3});
  const Pace::Clock::time_point start(1h);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pace.take(start), 0ns);
  EXPECT_EQ(pace.take(start), 100ms);
  EXPECT_EQ(pace.take(start + 60ms), 40ms);
  EXPECT_EQ(pace.take(start + 100ms), 0ns);
  EXPECT_EQ(pace.take(start + 100ms), 100ms);
}

TEST(Pace, savesNoMoreThanABurstWhileIdle) {
  Pace pace({.per_second = 1000, .burst = 2});
  const Pace::Clock::time_point later(2h);
  EXPECT_EQ(pace.take(later), 0ns);
  EXPECT_EQ(pace.take(later), 0ns);
  EXPECT_GT(pace.take(later), 0ns);
}

TEST(Pace, withoutALimitLetsEverythingGo) {
  Pace pace({});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(pace.take({}), 0ns);
}

}  // namespace
}  // namespace tutti::kube
