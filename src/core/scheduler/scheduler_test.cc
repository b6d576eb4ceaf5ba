#include "core/scheduler/scheduler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;

class SchedulerTest : public testing::Test, public DecisionListener {
 protected:
  SchedulerTest() : scheduler_(SchedulerOptions{}, profiles(), port_, this) {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
  }
  static std::vector<Profile> profiles() {
    std::vector<Profile> made;
    made.push_back(test::small_profile("default-scheduler"));
    made.push_back(test::small_profile("second"));
    return made;
  }
  void decided(const Decision& decision) override { decisions_.push_back(decision); }

  void settle() { ASSERT_TRUE(port_.settle()); }
  const model::Condition* condition(const std::string& name) {
    const auto* found = port_.find<model::Pod>("t", name);
    return found != nullptr ? model::find(found->status.conditions, "PodScheduled") : nullptr;
  }
  const model::Condition* group_condition(const std::string& name,
                                          const std::string& type = "PodGroupInitiallyScheduled") {
    const auto* found = port_.find<model::PodGroup>("t", name);
    return found != nullptr ? model::find(found->conditions, type) : nullptr;
  }
  Standing standing(const std::string& name) {
    return scheduler_.standing(*scheduler_.cluster().pods().find("pod-" + name));
  }
  std::size_t times_bound(const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        port_.binds, [&](const BindRequest& request) { return request.pod.name == name; }));
  }
  void gang(const std::string& name, int minimum, int members, const std::string& cpu) {
    port_.apply(pod_group(name).gang(minimum).build());
    for (int i = 0; i < members; ++i) {
      port_.apply(pod(name + std::to_string(i)).cpu(cpu).group(name).build());
    }
  }

  test::FakePort port_;
  std::vector<Decision> decisions_;
  Scheduler scheduler_;
};

TEST_F(SchedulerTest, bindsALonePodThatFits) {
  port_.apply(node("n1").build());
  port_.apply(pod("a").cpu("1").build());
  settle();
  EXPECT_EQ(port_.node_of("a"), "n1");
  EXPECT_EQ(standing("a"), Standing::placed);
  EXPECT_TRUE(port_.pod_patches.empty());
}

TEST_F(SchedulerTest, saysWhyALonePodWaits) {
  port_.apply(node("n1").cpu("1").build());
  port_.apply(pod("a").cpu("2").build());
  settle();
  ASSERT_NE(condition("a"), nullptr);
  EXPECT_EQ(condition("a")->status, "False");
  EXPECT_EQ(condition("a")->reason, "Unschedulable");
  EXPECT_EQ(condition("a")->message, "0/1 nodes are available: 1 too full.");
  ASSERT_EQ(port_.events.size(), 1U);
  EXPECT_EQ(port_.events[0].type, "Warning");
  EXPECT_EQ(port_.events[0].reason, "FailedScheduling");
  EXPECT_EQ(port_.events[0].action, "Scheduling");
  EXPECT_EQ(port_.events[0].scheduler, "default-scheduler");
  EXPECT_EQ(standing("a"), Standing::unschedulable);
}

TEST_F(SchedulerTest, writesNothingTwiceWhenAnAttemptSaysTheSame) {
  port_.apply(node("n1").cpu("1").build());
  gang("g", 2, 2, "2");
  settle();
  const auto pods = port_.pod_patches.size();
  const auto groups = port_.group_patches.size();
  const auto events = port_.events.size();
  for (int i = 0; i < 5; ++i) {
    port_.advance(30s);
    port_.run_instant();
  }
  EXPECT_GT(decisions_.size(), 3U);
  EXPECT_EQ(port_.pod_patches.size(), pods);
  EXPECT_EQ(port_.group_patches.size(), groups);
  EXPECT_EQ(port_.events.size(), events);
}

TEST_F(SchedulerTest, placesAGangWholeAndSaysSo) {
  port_.apply(node("n1").cpu("2").build());
  port_.apply(node("n2").cpu("2").build());
  gang("g", 3, 3, "1");
  settle();
  for (const auto* name : {"g0", "g1", "g2"}) EXPECT_NE(port_.node_of(name), "");
  ASSERT_NE(group_condition("g"), nullptr);
  EXPECT_EQ(group_condition("g")->status, "True");
  EXPECT_EQ(group_condition("g")->reason, "Scheduled");
}

TEST_F(SchedulerTest, bindsNothingOfAGangThatDoesNotFitAndTellsGroupAndPods) {
  port_.apply(node("n1").cpu("2").build());
  gang("g", 3, 3, "1");
  settle();
  EXPECT_TRUE(port_.binds.empty());
  for (const auto* name : {"g0", "g1", "g2"}) {
    ASSERT_NE(condition(name), nullptr) << name;
    EXPECT_EQ(condition(name)->reason, "Unschedulable");
  }
  ASSERT_NE(group_condition("g"), nullptr);
  EXPECT_EQ(group_condition("g")->status, "False");
  EXPECT_EQ(group_condition("g")->reason, "Unschedulable");
}

TEST_F(SchedulerTest, namesTheConditionByTheApiVersionOfTheGroup) {
  port_.apply(node("n1").build());
  port_.apply(pod_group("old").gang(1).api(model::kSchedulingV1Alpha2).build());
  port_.apply(pod("a").group("old").build());
  settle();
  EXPECT_NE(group_condition("old", "PodGroupScheduled"), nullptr);
  EXPECT_EQ(group_condition("old"), nullptr);
}

TEST_F(SchedulerTest, holdsAGangWithoutQuorumInSilence) {
  port_.apply(node("n1").build());
  gang("g", 3, 2, "1");
  settle();
  EXPECT_TRUE(decisions_.empty());
  EXPECT_TRUE(port_.pod_patches.empty());
  EXPECT_TRUE(port_.group_patches.empty());
  EXPECT_EQ(standing("g0"), Standing::gated);
  EXPECT_EQ(scheduler_.held_reason(*scheduler_.cluster().pods().find("pod-g0")),
            "too few members exist");
}

TEST_F(SchedulerTest, keepsPodsOfAMissingGroupIncomplete) {
  port_.apply(node("n1").build());
  port_.apply(pod("a").group("g").build());
  settle();
  EXPECT_EQ(standing("a"), Standing::incomplete);
  EXPECT_EQ(scheduler_.held_reason(*scheduler_.cluster().pods().find("pod-a")),
            "PodGroup t/g does not exist");
  port_.apply(pod_group("g").gang(1).build());
  settle();
  EXPECT_EQ(port_.node_of("a"), "n1");
}

TEST_F(SchedulerTest, takesPodsBackWhenTheirGroupIsDeletedWhileTheyWait) {
  port_.apply(node("n1").cpu("1").build());
  gang("g", 2, 2, "1");
  settle();
  port_.remove(model::Kind::pod_group, "t", "g");
  settle();
  EXPECT_EQ(standing("g0"), Standing::incomplete);
  port_.apply(node("n2").cpu("1").build());
  settle();
  EXPECT_TRUE(port_.binds.empty());
  port_.apply(pod_group("g").gang(2).build());
  settle();
  EXPECT_EQ(port_.binds.size(), 2U);
}

TEST_F(SchedulerTest, neverTurnsTheConditionOfAScheduledGroupBack) {
  port_.apply(node("n1").cpu("2").build());
  gang("g", 2, 2, "1");
  settle();
  const model::Condition before = *group_condition("g");
  port_.advance(60s);
  port_.apply(pod("late").cpu("1").group("g").build());
  settle();
  EXPECT_EQ(condition("late")->reason, "Unschedulable");
  EXPECT_EQ(*group_condition("g"), before);
}

TEST_F(SchedulerTest, endsInAnErrorWhenMembersNameDifferentProfiles) {
  port_.apply(node("n1").build());
  port_.apply(pod_group("g").gang(2).build());
  port_.apply(pod("a").group("g").build());
  port_.apply(pod("b").group("g").scheduler("second").build());
  settle();
  EXPECT_TRUE(port_.binds.empty());
  EXPECT_EQ(condition("a")->reason, "SchedulerError");
  EXPECT_EQ(condition("b")->reason, "SchedulerError");
  EXPECT_EQ(group_condition("g")->reason, "SchedulerError");
}

TEST_F(SchedulerTest, endsInAnErrorWhenAMemberHasAnotherPriorityExceptInV1alpha2) {
  port_.apply(node("n1").build());
  port_.apply(pod_group("new").gang(1).priority(50).build());
  port_.apply(pod("a").group("new").priority(10).build());
  port_.apply(pod_group("old").gang(1).priority(50).api(model::kSchedulingV1Alpha2).build());
  port_.apply(pod("b").group("old").priority(10).build());
  settle();
  EXPECT_EQ(port_.node_of("a"), "");
  EXPECT_EQ(group_condition("new")->reason, "SchedulerError");
  EXPECT_EQ(port_.node_of("b"), "n1");
}

TEST_F(SchedulerTest, leavesPodsOfOtherSchedulersAlone) {
  port_.apply(node("n1").build());
  port_.apply(pod("a").scheduler("other").build());
  settle();
  EXPECT_TRUE(decisions_.empty());
  EXPECT_EQ(scheduler_.cluster().pods().find("pod-a"), std::nullopt);
}

TEST_F(SchedulerTest, countsAssignedPodsOfAnyScheduler) {
  port_.apply(node("n1").cpu("2").build());
  port_.apply(pod("a").cpu("2").scheduler("other").on("n1").build());
  port_.apply(pod("b").cpu("1").build());
  settle();
  EXPECT_EQ(port_.node_of("b"), "");
  port_.remove(model::Kind::pod, "t", "a");
  settle();
  EXPECT_EQ(port_.node_of("b"), "n1");
}

TEST_F(SchedulerTest, wakesALonePodOnTheEventItsRejecterNamedAndNotOnOthers) {
  port_.apply(node("n1").cpu("1").build());
  port_.apply(pod("a").cpu("2").build());
  settle();
  const auto attempts = decisions_.size();
  port_.advance(20s);
  port_.apply(node("n1").cpu("1").label("new", "label").build());
  port_.run_instant();
  EXPECT_EQ(decisions_.size(), attempts);
  port_.apply(node("n1").cpu("2").label("new", "label").build());
  port_.run_instant();
  EXPECT_EQ(port_.node_of("a"), "n1");
}

TEST_F(SchedulerTest, retriesAGangByItselfAfterAChangeThatWokeNobody) {
  port_.apply(node("n1").cpu("1").build());
  gang("g", 2, 2, "1");
  settle();
  port_.apply(node("n1").cpu("2").build(), /*quiet=*/true);
  EXPECT_FALSE(scheduler_.settled());
  settle();
  EXPECT_EQ(port_.binds.size(), 2U);
}

TEST_F(SchedulerTest, bindsAFailedMemberAgainAndTheOthersOnce) {
  port_.apply(node("n1").build());
  bool failed = false;
  port_.bind_outcome = [&](const BindRequest& request) -> Status {
    if (request.pod.name != "g1" || failed) return ok_status();
    failed = true;
    return Error{Error::Code::unavailable, "etcd is away"};
  };
  gang("g", 3, 3, "1");
  settle();
  EXPECT_EQ(times_bound("g0"), 1U);
  EXPECT_EQ(times_bound("g1"), 2U);
  EXPECT_EQ(times_bound("g2"), 1U);
  EXPECT_NE(port_.node_of("g1"), "");
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(SchedulerTest, takesAGangBackThatCannotBeCompleted) {
  port_.apply(node("n1").build());
  port_.bind_outcome = [](const BindRequest& request) -> Status {
    if (request.pod.name != "g1") return ok_status();
    return Error{Error::Code::unavailable, "never"};
  };
  gang("g", 3, 3, "1");
  static_cast<void>(port_.settle());
  EXPECT_EQ(port_.evictions.size(), 2U);
  EXPECT_EQ(port_.node_of("g0"), "");
  EXPECT_EQ(port_.node_of("g2"), "");
}

// Somebody deletes a gang while replacements of its first losses are being bound.
TEST_F(SchedulerTest, takesBackAReplacementWhoseGangIsLostBeforeItIsCompleteAgain) {
  port_.apply(node("n1").build());
  gang("g", 4, 4, "1");
  settle();
  for (const char* name : {"g0", "g1"}) port_.remove(model::Kind::pod, "t", name);
  port_.bind_outcome = [](const BindRequest& request) -> Status {
    if (request.pod.name != "r1") return ok_status();
    return Error{Error::Code::unavailable, "slow"};
  };
  for (const char* name : {"r0", "r1"}) port_.apply(pod(name).cpu("1").group("g").build());
  port_.run_instant();
  ASSERT_EQ(port_.node_of("r0"), "n1");
  port_.remove(model::Kind::pod, "t", "g2");
  settle();
  ASSERT_EQ(port_.evictions.size(), 1U);
  EXPECT_EQ(port_.evictions.front().name, "r0");
  EXPECT_EQ(port_.node_of("g3"), "n1");
}

TEST_F(SchedulerTest, leavesAReplacementAloneOnceItsGangWasCompleteAgain) {
  port_.apply(node("n1").build());
  gang("g", 3, 3, "1");
  settle();
  port_.remove(model::Kind::pod, "t", "g0");
  port_.apply(pod("r0").cpu("1").group("g").build());
  settle();
  ASSERT_EQ(port_.node_of("r0"), "n1");
  for (const char* name : {"g1", "g2"}) port_.remove(model::Kind::pod, "t", name);
  settle();
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(SchedulerTest, survivesTheLossOfANodeItHasJustDecidedFor) {
  port_.apply(node("n1").build());
  port_.apply(pod("a").cpu("1").build());
  ASSERT_TRUE(scheduler_.schedule_one(port_.now()));
  port_.remove(model::Kind::node, "", "n1");
  settle();
  port_.apply(node("n2").build());
  settle();
  EXPECT_EQ(port_.node_of("a"), "n2");
}

TEST_F(SchedulerTest, survivesTheLossOfANodeWhileABindingIsRetried) {
  port_.apply(node("n1").build());
  port_.bind_outcome = [](const BindRequest& request) -> Status {
    if (request.node == "n2") return ok_status();
    return Error{Error::Code::unavailable, "not now"};
  };
  gang("g", 2, 2, "1");
  port_.run_instant();
  port_.remove(model::Kind::node, "", "n1");
  settle();
  port_.apply(node("n2").build());
  settle();
  EXPECT_EQ(port_.node_of("g0"), "n2");
  EXPECT_EQ(port_.node_of("g1"), "n2");
}

TEST_F(SchedulerTest, dropsAPodThatIsDeletedWhileItsBindingIsOnTheWay) {
  port_.apply(node("n1").cpu("1").build());
  port_.apply(pod("a").cpu("1").build());
  while (scheduler_.schedule_one(port_.now())) {
  }
  port_.remove(model::Kind::pod, "t", "a");
  port_.apply(pod("b").cpu("1").build());
  settle();
  EXPECT_EQ(port_.node_of("b"), "n1");
}

TEST_F(SchedulerTest, givesEqualRunsEqualDigestsAndOthersNot) {
  const auto digest_of = [](const std::string& cpu) {
    test::FakePort port;
    Scheduler scheduler(SchedulerOptions{}, profiles(), port);
    port.serve(scheduler);
    port.apply(node("n1").cpu(cpu).build());
    port.apply(pod("a").cpu("2").build());
    EXPECT_TRUE(port.settle());
    return scheduler.digest();
  };
  EXPECT_EQ(digest_of("2"), digest_of("2"));
  EXPECT_NE(digest_of("2"), digest_of("1"));
}

}  // namespace
}  // namespace tutti::core
