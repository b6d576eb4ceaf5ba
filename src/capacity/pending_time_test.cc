#include "capacity/pending_time.h"

#include <gtest/gtest.h>

namespace tutti::capacity {
namespace {

using core::Decision;
using std::chrono::minutes;

// Decisions about entities that were all created at time 0 and wait for capacity.
struct Diary {
  PendingTime time;
  PendingTime::Facts facts{.created = Instant{}, .came_last = false, .pods = 2};
  PendingTime::Reason reason{"capacity", "cpu"};
  int looks = 0;
  bool exists = true;

  PendingTime::FactsOf facts_of() {
    return [this](const std::string&, Instant) { return facts; };
  }
  PendingTime::ReasonOf reason_of() {
    return [this](const std::string&) {
      ++looks;
      return exists ? std::optional(reason) : std::nullopt;
    };
  }
  void rest(minutes at) { time.come_to_rest(Instant{at}, facts_of(), reason_of()); }
  void decide(Decision::Kind kind, minutes at, const std::string& entity = "PodGroup t/g") {
    Decision decision;
    decision.at = Instant{at};
    decision.kind = kind;
    decision.entity = entity;
    time.decided(decision);
    time.catch_up(facts_of(), reason_of());
  }
  std::vector<PendingCost> costs(minutes now, bool waits = true) const {
    return time.costs(Instant{now}, [=](const std::string&) { return waits; });
  }
};

TEST(PendingTime, countsFromTheFirstRefusalToThePlacement) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  diary.decide(Decision::Kind::placed, minutes(10));
  const auto costs = diary.costs(minutes(60));
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].blocker, "capacity");
  EXPECT_EQ(costs[0].constraint, "cpu");
  EXPECT_EQ(costs[0].entities, 1U);
  EXPECT_EQ(costs[0].waited, minutes(10));
  EXPECT_EQ(costs[0].pod_time, minutes(20));
}

TEST(PendingTime, countsWhatStillWaitsUntilNow) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  EXPECT_EQ(diary.costs(minutes(60))[0].waited, minutes(60));
  EXPECT_TRUE(diary.costs(minutes(60), false).empty());
}

TEST(PendingTime, putsTheTimeBeforeTheFirstAttemptDownToWhatHeldIt) {
  Diary diary;
  diary.facts.came_last = true;
  diary.decide(Decision::Kind::placed, minutes(5), "PodGroup t/late-member");
  diary.facts.came_last = false;
  diary.decide(Decision::Kind::placed, minutes(3), "Pod t/gate");
  const auto costs = diary.costs(minutes(60));
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].blocker, "incomplete");
  EXPECT_EQ(costs[0].waited, minutes(5));
  EXPECT_EQ(costs[1].blocker, "gated");
  EXPECT_EQ(costs[1].waited, minutes(3));
}

TEST(PendingTime, dividesTheTimeWhenTheReasonChanges) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  diary.reason = {"topology", "rack"};
  diary.decide(Decision::Kind::unschedulable, minutes(10));
  diary.decide(Decision::Kind::placed, minutes(40));
  const auto costs = diary.costs(minutes(60));
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].constraint, "rack");
  EXPECT_EQ(costs[0].waited, minutes(30));
  EXPECT_EQ(costs[1].waited, minutes(10));
}

TEST(PendingTime, dividesTheTimeWhenTheVerdictChangesBetweenAttempts) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  diary.rest(minutes(0));
  diary.reason = {"taints", {}};
  diary.facts.pods = 3;
  diary.rest(minutes(10));
  diary.decide(Decision::Kind::placed, minutes(40));
  const auto costs = diary.costs(minutes(60));
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_EQ(costs[0].blocker, "taints");
  EXPECT_EQ(costs[0].waited, minutes(30));
  EXPECT_EQ(costs[0].pod_time, minutes(90));
  EXPECT_EQ(costs[1].blocker, "capacity");
  EXPECT_EQ(costs[1].pod_time, minutes(20));
}

TEST(PendingTime, speaksOfTheStateInWhichAnInstantEnds) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  diary.reason = {"taints", {}};
  diary.rest(minutes(0));
  const auto costs = diary.costs(minutes(10));
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].blocker, "taints");
}

TEST(PendingTime, countsWhatWentAwayUntilThen) {
  Diary diary;
  diary.decide(Decision::Kind::unschedulable, minutes(0));
  diary.exists = false;
  diary.rest(minutes(7));
  diary.rest(minutes(9));
  EXPECT_EQ(diary.looks, 2);
  const auto costs = diary.costs(minutes(60), false);
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].waited, minutes(7));
}

TEST(PendingTime, looksOnlySoOften) {
  Diary diary{.time = PendingTime(3)};
  diary.decide(Decision::Kind::unschedulable, minutes(0), "PodGroup t/a");
  diary.decide(Decision::Kind::unschedulable, minutes(0), "PodGroup t/b");
  const int before = diary.looks;
  diary.rest(minutes(1));
  diary.rest(minutes(2));
  EXPECT_EQ(diary.looks, before + 2);
  EXPECT_EQ(diary.costs(minutes(10))[0].waited, minutes(20));
}

TEST(PendingTime, looksLessOftenAtWhatWaitsForLong) {
  Diary diary;
  for (int minute = 0; minute < 1000; ++minute) {
    diary.decide(Decision::Kind::unschedulable, minutes(minute));
  }
  EXPECT_LT(diary.looks, 40);
  EXPECT_EQ(diary.costs(minutes(1000))[0].waited, minutes(1000));
}

}  // namespace
}  // namespace tutti::capacity
