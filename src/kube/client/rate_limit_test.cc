#include "kube/client/rate_limit.h"

#include <gtest/gtest.h>

namespace tutti::kube {
namespace {

using namespace std::chrono_literals;

TEST(RateLimiter, letsABurstGoAndThenSoManyASecond) {
  RateLimiter pace({.per_second = 10, .burst = 3});
  const RateLimiter::Clock::time_point start(1h);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pace.take(start), 0ns);
  EXPECT_EQ(pace.take(start), 100ms);
  EXPECT_EQ(pace.take(start + 60ms), 40ms);
  EXPECT_EQ(pace.take(start + 100ms), 0ns);
  EXPECT_EQ(pace.take(start + 100ms), 100ms);
}

TEST(RateLimiter, savesNoMoreThanABurstWhileIdle) {
  RateLimiter pace({.per_second = 1000, .burst = 2});
  const RateLimiter::Clock::time_point later(2h);
  EXPECT_EQ(pace.take(later), 0ns);
  EXPECT_EQ(pace.take(later), 0ns);
  EXPECT_GT(pace.take(later), 0ns);
}

TEST(RateLimiter, withoutALimitLetsEverythingGo) {
  RateLimiter pace({});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(pace.take({}), 0ns);
}

}  // namespace
}  // namespace tutti::kube
