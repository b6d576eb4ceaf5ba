#include "replay/progress.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace tutti::replay {
namespace {

CheckpointPlan every(std::int64_t millis, std::int64_t cost, std::int64_t restart = 0) {
  return {Millis{millis}, Millis{cost}, Millis{restart}};
}

TEST(Progress, takesItsWorkDividedAmongItsPods) {
  Progress progress(400, {});
  progress.start(4, kNoSlowdown);
  EXPECT_EQ(progress.until_done(), Millis{100});
  progress.advance(Millis{50});
  progress.change(2, kNoSlowdown);
  EXPECT_EQ(progress.until_done(), Millis{100});
  progress.advance(Millis{100});
  EXPECT_TRUE(progress.done());
  EXPECT_EQ(progress.time().held, 400);
  EXPECT_EQ(progress.time().useful, 400);
}

TEST(Progress, takesLongerOnASlowPlaceAndCountsTheRest) {
  Progress progress(100, {});
  progress.start(1, 2 * kNoSlowdown);
  EXPECT_EQ(progress.until_done(), Millis{200});
  progress.advance(Millis{100});
  progress.change(1, kNoSlowdown / 2);  // some places are faster than the packed one
  EXPECT_EQ(progress.until_done(), Millis{25});
  progress.advance(Millis{25});
  EXPECT_TRUE(progress.done());
  EXPECT_EQ(progress.time().slowdown(), 25);
}

TEST(Progress, writesCheckpointsInBetweenAndNoneAtTheEnd) {
  struct Case {
    std::int64_t work;
    std::int64_t time;
  };
  // Every 10 ms, each for 3.
  const Case cases[] = {{9, 9}, {10, 10}, {11, 14}, {20, 23}, {21, 27}, {100, 127}};
  for (const Case& each : cases) {
    Progress progress(each.work, every(10, 3));
    progress.start(1, kNoSlowdown);
    EXPECT_EQ(progress.until_done(), Millis{each.time}) << each.work;
    progress.advance(Millis{each.time});
    EXPECT_TRUE(progress.done()) << each.work;
    EXPECT_EQ(progress.time().overhead, each.time - each.work);
  }
}

TEST(Progress, losesWhatWasDoneSinceTheLastFinishedCheckpoint) {
  struct Case {
    std::int64_t runs;
    std::int64_t saved;
    std::int64_t lost;
  };
  const Case cases[] = {{5, 0, 5},   {10, 0, 10}, {12, 0, 10},  // not finished
                        {13, 10, 0}, {15, 10, 2}, {25, 10, 10}, {26, 20, 0}};
  for (const Case& each : cases) {
    Progress progress(100, every(10, 3, 7));
    progress.start(1, kNoSlowdown);
    progress.advance(Millis{each.runs});
    progress.interrupt();
    EXPECT_EQ(progress.time().useful, each.saved) << each.runs;
    EXPECT_EQ(progress.time().lost, each.lost) << each.runs;
    progress.start(1, kNoSlowdown);
    const std::int64_t left = 100 - each.saved;
    EXPECT_EQ(progress.until_done(), Millis{7 + left + (left - 1) / 10 * 3}) << each.runs;
  }
}

TEST(Progress, losesAllOfAnAttemptWithoutCheckpoints) {
  Progress progress(100, {std::nullopt, Millis{0}, Millis{5}});
  progress.start(2, kNoSlowdown);
  progress.advance(Millis{30});
  progress.interrupt();
  EXPECT_EQ(progress.time().lost, 60);
  progress.start(2, kNoSlowdown);
  EXPECT_EQ(progress.until_done(), Millis{55});
  progress.advance(Millis{55});
  EXPECT_EQ(progress.time().overhead, 10);
  EXPECT_EQ(progress.time().useful, 100);
}

// What the header says, one millisecond after the other.
struct StepByStep {
  std::int64_t left;
  std::int64_t every;
  std::int64_t cost;
  std::int64_t since = 0;
  std::int64_t writing = 0;
  std::int64_t unsaved = 0;
  std::int64_t lost = 0;
  std::int64_t overhead = 0;

  void step(std::int64_t pods) {
    if (writing == 0 && since == every) {
      writing = cost;
      since = 0;
      if (cost == 0) unsaved = 0;
    }
    if (writing > 0) {
      overhead += pods;
      if (--writing == 0) unsaved = 0;
      return;
    }
    ++since;
    left -= pods;
    unsaved += pods;
  }
};

TEST(Progress, isThatOfEveryMillisecondOneAfterTheOther) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random.below(n)); };
    const std::int64_t work = 600 + 6 * below(200);
    StepByStep slow{work, 1 + below(30), below(5)};
    Progress fast(work, every(slow.every, slow.cost));
    std::int32_t pods = 1 + static_cast<std::int32_t>(below(3));
    fast.start(pods, kNoSlowdown);
    for (int move = 0; move < 10 && !fast.done(); ++move) {
      const std::int64_t span = std::min(below(120), fast.until_done()->count());
      fast.advance(Millis{span});
      for (std::int64_t i = 0; i < span; ++i) slow.step(std::min<std::int64_t>(pods, slow.left));
      ASSERT_EQ(fast.time().useful + slow.left, work);
      if (below(3) == 0) {
        fast.interrupt();
        slow.left += slow.unsaved;
        slow.lost += slow.unsaved;
        slow.since = slow.writing = slow.unsaved = 0;
        pods = 1 + static_cast<std::int32_t>(below(3));
        fast.start(pods, kNoSlowdown);
      }
      ASSERT_EQ(fast.time().lost, slow.lost);
      ASSERT_EQ(fast.time().useful + slow.left, work);
    }
  }
}

}  // namespace
}  // namespace tutti::replay
