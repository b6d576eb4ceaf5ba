#include "sim/plane/virtual_clock.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::sim {
namespace {

using std::chrono::seconds;

TEST(VirtualClock, startsAtTheBeginningOf2026) {
  EXPECT_EQ(format_rfc3339(VirtualClock().now()), "2026-01-01T00:00:00Z");
}

TEST(VirtualClock, runsActionsByTimeAndThenInTheOrderTheyWereAskedFor) {
  VirtualClock clock;
  std::string order;
  clock.at(kEpoch + seconds(2), [&] { order += 'c'; });
  clock.at(kEpoch + seconds(1), [&] { order += 'a'; });
  clock.at(kEpoch + seconds(1), [&] { order += 'b'; });
  EXPECT_FALSE(clock.run_one()) << "nothing is due yet";
  while (const auto next = clock.next()) {
    clock.advance_to(*next);
    EXPECT_TRUE(clock.run_one());
  }
  EXPECT_EQ(order, "abc");
}

TEST(VirtualClock, runsWhatIsPlannedForThePastAtOnce) {
  VirtualClock clock;
  clock.advance_to(kEpoch + seconds(5));
  clock.at(kEpoch, [] {});
  EXPECT_EQ(clock.next(), kEpoch + seconds(5));
}

TEST(VirtualClock, forgetsCancelledActions) {
  VirtualClock clock;
  const auto timer = clock.at(kEpoch + seconds(1), [] { FAIL(); });
  clock.cancel(timer);
  clock.cancel(timer);
  EXPECT_EQ(clock.next(), std::nullopt);
}

TEST(VirtualClock, letsAnActionPlanAnotherForTheSameInstant) {
  VirtualClock clock;
  int runs = 0;
  clock.at(kEpoch, [&] { clock.at(kEpoch, [&] { ++runs; }); });
  while (clock.run_one()) {
  }
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace tutti::sim
