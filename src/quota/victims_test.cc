#include "quota/victims.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "quota/outlook.h"
#include "support/quota_scene.h"

namespace tutti::quota {
namespace {

using WithinQueue = PreemptionPolicy::WithinQueue;
using Reclaim = PreemptionPolicy::Reclaim;

struct RunningRow {
  std::string uid;
  std::string_view queue;
  std::int64_t gpus = 0;
  std::int64_t priority = 0;
  std::int64_t reserved_at = 0;
  bool leaving = false;
  std::int64_t history = 0;
  Tenure tenure = Tenure::ordinary;
};

// A tree with work on it, and somebody who wants more.
struct VictimScene {
  QuotaScene scene{};
  std::vector<Running> running{};

  void runs(const RunningRow& row) {
    running.push_back({.queue = scene.node(row.queue),
                       .charges = {{scene.gpu, row.gpus}},
                       .priority = row.priority,
                       .timestamp = row.reserved_at,
                       .reserved_at = row.reserved_at,
                       .uid = row.uid,
                       .leaving = row.leaving,
                       .history = row.history,
                       .tenure = row.tenure});
    scene.use(row.queue, row.gpus);
  }
  // The latest has so many pods more, which it can do without, of one GPU each.
  void can_do_without(std::int64_t pods) {
    const Running rest = running.back();
    running.pop_back();
    const std::size_t whole = running.size() + static_cast<std::size_t>(pods);
    for (std::int64_t i = 0; i < pods; ++i) {
      running.push_back(rest);
      running.back().charges = {{scene.gpu, 1}};
      running.back().uid += "#" + std::to_string(i);
      running.back().surplus_of = whole;
      scene.use(scene.tree.name(rest.queue), 1);
    }
    running.push_back(rest);
  }
  Preemptor wants(std::string_view queue, std::int64_t gpus, std::int64_t priority = 0) const {
    return {.queue = scene.node(queue),
            .charges = {{scene.gpu, gpus}},
            .needed = {scene.gpu},
            .priority = priority};
  }
  // "uid reason" of every victim in the order in which they were taken.
  std::vector<std::string> said(const std::vector<Victim>& victims) const {
    EXPECT_EQ(scene.tree.check_consistency(), "");
    std::vector<std::string> all;
    for (const Victim& each : victims) {
      all.push_back(running[each.running].uid + " " + std::string(word(each.reason)));
    }
    return all;
  }
  std::vector<std::string> classical(const Preemptor& preemptor, const PreemptionPolicy& policy) {
    return said(classical_victims(scene.tree, preemptor, policy, running));
  }
  std::vector<std::string> fair(const Preemptor& preemptor, const PreemptionPolicy& policy,
                                FairStrategies strategies = kDefaultStrategies) {
    return said(fair_victims(scene.tree, preemptor, policy, running, strategies));
  }
};

using Said = std::vector<std::string>;

TEST(ClassicalVictims, areSparedWhereALargerOneIsEnough) {
  VictimScene scene;
  scene.scene.queue("s", "", {.nominal = 8});
  scene.scene.tree.settle();
  scene.runs({.uid = "low", .queue = "s", .gpus = 2, .priority = -2});
  scene.runs({.uid = "mid", .queue = "s", .gpus = 3, .priority = 0});
  scene.runs({.uid = "top", .queue = "s", .gpus = 3, .priority = 5});
  const PreemptionPolicy lower{.within_queue = WithinQueue::lower_priority};
  EXPECT_EQ(scene.classical(scene.wants("s", 3, 3), lower), Said{"mid InClusterQueue"});
  EXPECT_EQ(scene.classical(scene.wants("s", 6, 3), lower), Said{});
  EXPECT_EQ(scene.classical(scene.wants("s", 3, 3), {}), Said{});
}

TEST(ClassicalVictims, ofTheOwnQueueFollowItsPolicy) {
  struct Case {
    std::string_view name;
    WithinQueue policy;
    std::int64_t priority, timestamp;
    bool leaves;
  };
  const Case cases[] = {
      {"never", WithinQueue::never, 0, 9, false},
      {"lower", WithinQueue::lower_priority, 0, 1, true},
      {"equal, newer", WithinQueue::lower_priority, 5, 9, false},
      {"equal, newer, allowed", WithinQueue::lower_or_newer_equal_priority, 5, 9, true},
      {"equal, as old", WithinQueue::lower_or_newer_equal_priority, 5, 4, false},
      {"higher, newer", WithinQueue::lower_or_newer_equal_priority, 6, 9, false},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    VictimScene scene;
    scene.scene.queue("q", "", {.nominal = 1});
    scene.scene.tree.settle();
    scene.runs({.uid = "v",
                .queue = "q",
                .gpus = 1,
                .priority = each.priority,
                .reserved_at = each.timestamp});
    Preemptor preemptor = scene.wants("q", 1, 5);
    preemptor.timestamp = 4;
    EXPECT_EQ(scene.classical(preemptor, {.within_queue = each.policy}).size(),
              each.leaves ? 1u : 0u);
  }
}

TEST(ClassicalVictims, areTakenInAStatedOrder) {
  struct Case {
    std::string_view name;
    RunningRow first, second;
  };
  const Case cases[] = {
      {"who leaves anyway",
       {.uid = "z", .queue = "q", .priority = 2, .leaving = true},
       {.uid = "a", .queue = "q"}},
      {"the larger history",
       {.uid = "z", .queue = "q", .priority = 2, .history = 9},
       {.uid = "a", .queue = "q", .history = 1}},
      {"the lower priority",
       {.uid = "z", .queue = "q", .priority = 1},
       {.uid = "a", .queue = "q", .priority = 2, .reserved_at = 9}},
      {"the newest",
       {.uid = "z", .queue = "q", .reserved_at = 2},
       {.uid = "a", .queue = "q", .reserved_at = 1}},
      {"the smaller uid", {.uid = "a", .queue = "q"}, {.uid = "b", .queue = "q"}},
      {"another queue's before one's own",
       {.uid = "z", .queue = "r", .priority = 2},
       {.uid = "a", .queue = "q"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    for (const bool swapped : {false, true}) {
      VictimScene scene;
      scene.scene.queue("q", "org", {.nominal = 4});
      scene.scene.queue("r", "org", {.nominal = 0});
      scene.scene.tree.settle();
      RunningRow first = each.first, second = each.second;
      first.gpus = second.gpus = 2;
      scene.runs(swapped ? second : first);
      scene.runs(swapped ? first : second);
      const auto victims =
          scene.classical(scene.wants("q", 2, 5),
                          {.within_queue = WithinQueue::lower_priority, .reclaim = Reclaim::any});
      ASSERT_EQ(victims.size(), 1u);
      EXPECT_EQ(victims[0].substr(0, 1), first.uid);
    }
  }
}

TEST(ClassicalVictims, ofOtherQueuesLeaveOnlyWhileThoseBorrow) {
  VictimScene scene;
  scene.scene.queue("mine", "org", {.nominal = 6});
  scene.scene.queue("borrower", "org", {.nominal = 4});
  scene.scene.queue("modest", "org", {.nominal = 4});
  scene.scene.tree.settle();
  scene.runs({.uid = "b1", .queue = "borrower", .gpus = 5, .priority = 9, .reserved_at = 1});
  scene.runs({.uid = "b2", .queue = "borrower", .gpus = 4, .priority = 9, .reserved_at = 2});
  scene.runs({.uid = "m1", .queue = "modest", .gpus = 4, .priority = 0});
  EXPECT_EQ(scene.classical(scene.wants("mine", 3), {.reclaim = Reclaim::any}),
            Said{"b2 InCohortReclamation"});
  // After b2 the borrower still has one more than its own.
  EXPECT_EQ(scene.classical(scene.wants("mine", 6), {.reclaim = Reclaim::any}),
            (Said{"b1 InCohortReclamation"}));
  EXPECT_EQ(scene.classical(scene.wants("mine", 3), {.reclaim = Reclaim::lower_priority}), Said{});
  EXPECT_EQ(scene.classical(scene.wants("mine", 3), {}), Said{});
}

TEST(ClassicalVictims, ofABorrowingPreemptorHaveLowerPriorityUpToAThreshold) {
  struct Case {
    std::string_view name;
    PreemptionPolicy policy;
    Said victims;
  };
  const PreemptionPolicy reclaim{.reclaim = Reclaim::any};
  PreemptionPolicy borrow = reclaim, up_to_3 = reclaim, up_to_0 = reclaim;
  borrow.borrow_within_cohort = up_to_3.borrow_within_cohort = up_to_0.borrow_within_cohort = true;
  up_to_3.threshold = 3;
  up_to_0.threshold = 0;
  const Case cases[] = {
      {"nobody while borrowing is not allowed", reclaim, {}},
      {"lower priority", borrow, {"v InCohortReclaimWhileBorrowing"}},
      {"at the threshold", up_to_3, {"v InCohortReclaimWhileBorrowing"}},
      {"above the threshold", up_to_0, {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    VictimScene scene;
    scene.scene.cohort("org", "", {.nominal = 4});
    scene.scene.queue("mine", "org", {.nominal = 1});
    scene.scene.queue("other", "org", {.nominal = 1});
    scene.scene.tree.settle();
    scene.runs({.uid = "v", .queue = "other", .gpus = 5, .priority = 3});
    EXPECT_EQ(scene.classical(scene.wants("mine", 3, 5), each.policy), each.victims);
  }
}

// Two teams below a root; the right one borrows.
VictimScene two_teams() {
  VictimScene scene;
  scene.scene.cohort("left", "root", {.nominal = 6});
  scene.scene.cohort("right", "root", {.nominal = 2});
  scene.scene.queue("l1", "left", {.nominal = 0});
  scene.scene.queue("l2", "left", {.nominal = 0});
  scene.scene.queue("r", "right", {.nominal = 0});
  scene.scene.tree.settle();
  return scene;
}

TEST(ClassicalVictims, mustLeaveForWhoeverHasARightToTheQuotaHigherUp) {
  VictimScene scene = two_teams();
  scene.runs({.uid = "r1", .queue = "r", .gpus = 5, .priority = 9});
  scene.runs({.uid = "sibling", .queue = "l2", .gpus = 3, .priority = 9});
  // The team's quota holds l1's 3: against the other team, not against l2 with the same right.
  EXPECT_EQ(scene.classical(scene.wants("l1", 3), {.reclaim = Reclaim::any}),
            Said{"r1 InCohortReclamation"});
  // The team's quota holds only 3 of these 6: no right, and no borrowing without one.
  EXPECT_EQ(scene.classical(scene.wants("l1", 6), {.reclaim = Reclaim::any}), Said{});
}

TEST(ClassicalVictims, stayWhereTheirCohortKeepsToItsQuota) {
  VictimScene scene = two_teams();
  scene.runs({.uid = "r1", .queue = "r", .gpus = 2});
  scene.runs({.uid = "sibling", .queue = "l2", .gpus = 6});
  EXPECT_EQ(scene.classical(scene.wants("l1", 1), {.reclaim = Reclaim::any}), Said{});
}

TEST(ClassicalVictims, areTriedOnUntilTheyAlsoMakeAPlace) {
  VictimScene scene;
  scene.scene.queue("q", "", {.nominal = 4});
  scene.scene.tree.settle();
  for (const std::string uid : {"a", "b", "c", "d"}) {
    scene.runs({.uid = uid, .queue = "q", .gpus = 1});
  }
  const auto frees_b_and_c = [&](std::span<const Victim> victims) {
    std::string uids;
    for (const Victim& each : victims) uids += scene.running[each.running].uid;
    return uids.find('b') != std::string::npos && uids.find('c') != std::string::npos;
  };
  EXPECT_EQ(scene.said(classical_victims(scene.scene.tree, scene.wants("q", 1, 1),
                                         {.within_queue = WithinQueue::lower_priority},
                                         scene.running, frees_b_and_c)),
            (Said{"b InClusterQueue", "c InClusterQueue"}));
}

// --- fair sharing ----------------------------------------------------------------------------

const PreemptionPolicy kFair{.within_queue = WithinQueue::lower_priority, .reclaim = Reclaim::any};

TEST(FairVictims, followTheStrategy) {
  VictimScene scene;
  for (const std::string_view name : {"P", "Q", "S"})
    scene.scene.queue(name, "org", {.nominal = 4});
  scene.scene.tree.settle();
  scene.runs({.uid = "q1", .queue = "Q", .gpus = 6, .priority = 0});
  scene.runs({.uid = "q2", .queue = "Q", .gpus = 4, .priority = 5});
  scene.runs({.uid = "p1", .queue = "P", .gpus = 2});
  constexpr FairStrategy kInitial[] = {FairStrategy::less_than_initial_share};
  EXPECT_EQ(scene.fair(scene.wants("P", 4), kFair), Said{"q2 InCohortFairSharing"});
  EXPECT_EQ(scene.fair(scene.wants("P", 4), kFair, kInitial), Said{"q1 InCohortFairSharing"});
  // Two more stay within P's own quota: a right, whatever the shares.
  EXPECT_EQ(scene.fair(scene.wants("P", 2), kFair), Said{"q1 InCohortReclamation"});
}

// Kueue evicts one of Y for ever: the own victim lowers X's share until Y's may go, and is then
// spared, which raises it again.
TEST(FairVictims, satisfyTheirStrategyAfterOthersWereSpared) {
  VictimScene scene;
  scene.scene.cohort("org", "", {.nominal = 14});
  scene.scene.queue("X", "org", {.nominal = 0});
  scene.scene.queue("Y", "org", {.nominal = 0});
  scene.scene.tree.settle();
  scene.runs({.uid = "x3", .queue = "X", .gpus = 3, .priority = 0, .reserved_at = 1});
  scene.runs({.uid = "x2", .queue = "X", .gpus = 2, .priority = -1, .reserved_at = 2});
  scene.runs({.uid = "y5", .queue = "Y", .gpus = 5, .priority = 0, .reserved_at = 3});
  scene.runs({.uid = "y3", .queue = "Y", .gpus = 3, .priority = 0, .reserved_at = 4});
  EXPECT_EQ(scene.fair(scene.wants("X", 4), kFair), Said{});
}

TEST(FairVictims, comeFromTheSubtreeWithTheLargestShare) {
  VictimScene scene;
  scene.scene.cohort("root", "", {.nominal = 12});
  scene.scene.cohort("much", "root", {.nominal = 0});
  scene.scene.cohort("less", "root", {.nominal = 0});
  scene.scene.queue("m1", "much", {.nominal = 0});
  scene.scene.queue("m2", "much", {.nominal = 0});
  scene.scene.queue("l", "less", {.nominal = 0});
  scene.scene.queue("p", "root", {.nominal = 0});
  scene.scene.tree.settle();
  scene.runs({.uid = "a", .queue = "m1", .gpus = 3});
  scene.runs({.uid = "b", .queue = "m2", .gpus = 2});
  scene.runs({.uid = "c", .queue = "m2", .gpus = 2, .priority = 1});
  // One queue alone has the most, but its side as a whole does not.
  scene.runs({.uid = "d", .queue = "l", .gpus = 5});
  EXPECT_EQ(scene.fair(scene.wants("p", 2), kFair), Said{"b InCohortFairSharing"});
}

TEST(FairVictims, ofWeightZeroGoFirst) {
  VictimScene scene;
  scene.scene.cohort("org", "", {.nominal = 10});
  scene.scene.queue("zero", "org", {.nominal = 0, .weight = {0}});
  scene.scene.queue("other", "org", {.nominal = 0});
  scene.scene.queue("p", "org", {.nominal = 0});
  scene.scene.tree.settle();
  scene.runs({.uid = "z", .queue = "zero", .gpus = 1});
  scene.runs({.uid = "o", .queue = "other", .gpus = 9, .priority = -5});
  // z is gone at once, though it is left with nothing: only by its initial share.
  EXPECT_EQ(scene.fair(scene.wants("p", 1), kFair), Said{"z InCohortFairSharing"});
}

// By final shares the first two would be too many once the third has to go, too. Whoever borrows
// with weight 0 has no share to defend: the initial one decides about all of them.
TEST(FairVictims, giveUpEverythingBorrowedWithWeightZero) {
  VictimScene scene;
  scene.scene.queue("p", "org", {.nominal = 3});
  scene.scene.queue("zero", "org", {.nominal = 3, .weight = {0}});
  scene.scene.queue("idle", "org", {.nominal = 3});
  scene.scene.tree.settle();
  scene.runs({.uid = "own", .queue = "p", .gpus = 3});
  for (const char* uid : {"a", "b", "c", "d", "e", "f"}) {
    scene.runs({.uid = uid, .queue = "zero", .gpus = 1});
  }
  EXPECT_EQ(scene.fair(scene.wants("p", 3), kFair),
            (Said{"a InCohortFairSharing", "b InCohortFairSharing", "c InCohortFairSharing"}));
  constexpr FairStrategy kFinal[] = {FairStrategy::less_than_or_equal_to_final_share};
  EXPECT_EQ(scene.fair(scene.wants("p", 3), kFair, kFinal), Said{});
}

// Without the large one the small one is within what the queue owns: it would take back its place
// at once, and be evicted again, for ever.
TEST(FairVictims, areNotWhatTheirQueueOwnsWhenTheOthersHaveGone) {
  VictimScene scene;
  scene.scene.cohort("org", "", {.nominal = 5});
  scene.scene.queue("zero", "org", {.nominal = 1, .weight = {0}});
  scene.scene.queue("p", "org", {.nominal = 0});
  scene.scene.tree.settle();
  scene.runs({.uid = "small", .queue = "zero", .gpus = 1});
  scene.runs({.uid = "large", .queue = "zero", .gpus = 3});
  EXPECT_EQ(scene.fair(scene.wants("p", 5), kFair), Said{"large InCohortFairSharing"});
  EXPECT_EQ(scene.fair(scene.wants("p", 6), kFair), Said{});
}

// --- what flavors ask ------------------------------------------------------------------------

TEST(QuotaOutlook, tellsWhoseWorkWouldLeave) {
  struct Case {
    std::string_view name;
    PreemptionPolicy policy;
    Grade grade;
  };
  const Case cases[] = {
      {"nobody may", {}, {Mode::no_candidates, 0}},
      {"others", {.reclaim = Reclaim::any}, {Mode::reclaim, 0}},
      {"the own", {.within_queue = WithinQueue::lower_priority}, {Mode::preempt, 0}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    VictimScene scene;
    scene.scene.queue("mine", "org", {.nominal = 6});
    scene.scene.queue("other", "org", {.nominal = 2});
    scene.scene.tree.settle();
    scene.runs({.uid = "o", .queue = "other", .gpus = 6});
    scene.runs({.uid = "m", .queue = "mine", .gpus = 2});
    QuotaOutlook outlook(scene.scene.tree, scene.wants("mine", 0, 1), each.policy, scene.running,
                         QuotaOutlook::Sharing::classical);
    EXPECT_EQ(outlook.outlook(scene.scene.gpu, 2), each.grade);
    EXPECT_EQ(scene.scene.tree.check_consistency(), "");
  }
}

// --- tenure --------------------------------------------------------------------------------------

TEST(VictimsByTenure, burstLeavesBeforeAllOthersWhateverThePolicies) {
  VictimScene scene;
  scene.scene.queue("chat", "org", {.nominal = 6});
  scene.scene.queue("train", "org", {.nominal = 10});
  scene.scene.tree.settle();
  scene.runs({.uid = "own-low", .queue = "train", .gpus = 4, .priority = -9});
  scene.runs({.uid = "firm", .queue = "chat", .gpus = 8, .reserved_at = 1});
  scene.runs({.uid = "b1",
              .queue = "chat",
              .gpus = 2,
              .priority = 5,
              .reserved_at = 2,
              .tenure = Tenure::burst});
  scene.runs({.uid = "b2",
              .queue = "chat",
              .gpus = 2,
              .priority = 5,
              .reserved_at = 3,
              .tenure = Tenure::burst});
  const Said one{"b2 InCohortReclamation"};
  const Said both{"b2 InCohortReclamation", "b1 InCohortReclamation"};
  EXPECT_EQ(scene.classical(scene.wants("train", 2), {}), one);
  EXPECT_EQ(scene.fair(scene.wants("train", 2), {}), one);
  EXPECT_EQ(scene.classical(scene.wants("train", 4), {}), both);
  // What is left of the others needs a policy.
  EXPECT_EQ(scene.classical(scene.wants("train", 6), {}), Said{});
  EXPECT_EQ(scene.classical(scene.wants("train", 6), {.reclaim = Reclaim::any}),
            Said{"firm InCohortReclamation"});
}

TEST(VictimsByTenure, burstOfAnotherQueueKeepsWhatThatQueueOwns) {
  VictimScene scene;
  scene.scene.queue("chat", "org", {.nominal = 4});
  scene.scene.queue("train", "org", {.nominal = 4});
  scene.scene.tree.settle();
  scene.runs({.uid = "t", .queue = "train", .gpus = 4});
  scene.runs({.uid = "b", .queue = "chat", .gpus = 4, .tenure = Tenure::burst});
  EXPECT_EQ(scene.classical(scene.wants("train", 1), {.reclaim = Reclaim::any}), Said{});
  EXPECT_EQ(scene.fair(scene.wants("train", 1), {.reclaim = Reclaim::any}), Said{});
  EXPECT_EQ(scene.classical(scene.wants("chat", 1), {}), Said{"b InClusterQueue"});
}

TEST(VictimsByTenure, burstEvictsNobodyToBorrow) {
  VictimScene scene;
  scene.scene.queue("chat", "org", {.nominal = 4});
  scene.scene.queue("train", "org", {.nominal = 4});
  scene.scene.tree.settle();
  scene.runs({.uid = "t", .queue = "train", .gpus = 8, .priority = -1});
  const PreemptionPolicy any{.reclaim = Reclaim::any, .borrow_within_cohort = true};
  Preemptor burst = scene.wants("chat", 4);
  burst.tenure = Tenure::burst;
  EXPECT_EQ(scene.classical(burst, any), Said{"t InCohortReclamation"});
  EXPECT_EQ(scene.fair(burst, any), Said{"t InCohortReclamation"});
  burst.charges[0].amount = 5;
  EXPECT_EQ(scene.classical(burst, any), Said{});
  EXPECT_EQ(scene.fair(burst, any), Said{});
}

TEST(VictimsByTenure, ofItsOwnQueueOnlyWhatItDoesNotOwnLeavesForAGuaranteedOne) {
  VictimScene scene;
  scene.scene.queue("chat", "org", {.nominal = 6});
  scene.scene.queue("train", "org", {.nominal = 2});
  scene.scene.tree.settle();
  scene.runs({.uid = "old", .queue = "chat", .gpus = 4, .reserved_at = 1});
  scene.runs({.uid = "new", .queue = "chat", .gpus = 4, .reserved_at = 2});
  Preemptor guaranteed = scene.wants("chat", 2);
  guaranteed.tenure = Tenure::guaranteed;
  EXPECT_EQ(scene.classical(guaranteed, {.reclaim = Reclaim::any}), Said{"new InClusterQueue"});

  VictimScene within;
  within.scene.queue("chat", "org", {.nominal = 6});
  within.scene.queue("train", "org", {.nominal = 2});
  within.scene.tree.settle();
  within.runs({.uid = "own", .queue = "chat", .gpus = 6});
  within.runs({.uid = "t", .queue = "train", .gpus = 2});
  guaranteed = within.wants("chat", 2);
  guaranteed.tenure = Tenure::guaranteed;
  EXPECT_EQ(within.classical(guaranteed, {.reclaim = Reclaim::any}), Said{});
}

TEST(VictimsByTenure, surplusPodsLeaveBeforeAnybodyAsAWhole) {
  VictimScene scene;
  scene.scene.queue("q", "", {.nominal = 10});
  scene.scene.tree.settle();
  const PreemptionPolicy lower{.within_queue = WithinQueue::lower_priority};
  scene.runs({.uid = "low", .queue = "q", .gpus = 2, .priority = -5});
  scene.runs({.uid = "flex", .queue = "q", .gpus = 3});
  scene.can_do_without(5);
  EXPECT_EQ(scene.classical(scene.wants("q", 2, 1), lower),
            (Said{"flex#0 InClusterQueue", "flex#1 InClusterQueue"}));
  // All five do not suffice, and with somebody else only some of them are needed.
  EXPECT_EQ(scene.classical(scene.wants("q", 6, 1), lower),
            (Said{"flex#0 InClusterQueue", "flex#1 InClusterQueue", "flex#2 InClusterQueue",
                  "flex#3 InClusterQueue", "low InClusterQueue"}));
  // Nothing is spared of what goes as a whole.
  EXPECT_EQ(scene.classical(scene.wants("q", 8, 1), lower),
            (Said{"flex#0 InClusterQueue", "flex#1 InClusterQueue", "flex#2 InClusterQueue",
                  "flex#3 InClusterQueue", "flex#4 InClusterQueue", "flex InClusterQueue"}));
}

}  // namespace
}  // namespace tutti::quota
