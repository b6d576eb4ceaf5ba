#include "core/binding/intent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;

// One cluster and the schedulers that look after it, one after the other.
class IntentTest : public testing::Test {
 protected:
  IntentTest() { restart(); }

  // The scheduler dies and another takes its place, knowing only what the cluster says.
  void restart() {
    std::vector<Profile> profiles;
    profiles.push_back(test::small_profile("default-scheduler"));
    SchedulerOptions options;
    options.record_intents = true;
    scheduler_ = std::make_unique<Scheduler>(options, std::move(profiles), port_);
    port_.serve(*scheduler_);
    for (const auto& [key, object] : port_.objects()) {
      scheduler_->observe({Observation::Type::added, object, false}, port_.now());
    }
    scheduler_->take_over(port_.now());
  }
  void settle() { ASSERT_TRUE(port_.settle()); }
  void gang(int minimum, int members) {
    port_.apply(pod_group("g").gang(minimum).build());
    for (int i = 0; i < members; ++i) {
      port_.apply(pod("g" + std::to_string(i)).cpu("1").group("g").build());
    }
  }
  std::string intent() {
    const auto* condition =
        model::find(port_.find<model::PodGroup>("t", "g")->conditions, kBindingCondition);
    return condition == nullptr ? "" : condition->status;
  }
  void set_intent(const std::string& status, Instant since) {
    auto changed = std::make_shared<model::PodGroup>(*port_.find<model::PodGroup>("t", "g"));
    changed->conditions.push_back({.type = std::string(kBindingCondition),
                                   .status = status,
                                   .reason = "Binding",
                                   .message = {},
                                   .last_transition = since,
                                   .observed_generation = 0});
    port_.apply(std::shared_ptr<const model::PodGroup>(std::move(changed)));
  }
  void put(const std::string& name, const std::string& on, Instant since) {
    auto bound = std::make_shared<model::Pod>(*port_.find<model::Pod>("t", name));
    bound->node_name = on;
    bound->status.conditions = {{.type = "PodScheduled",
                                 .status = "True",
                                 .reason = {},
                                 .message = {},
                                 .last_transition = since,
                                 .observed_generation = 0}};
    port_.apply(std::shared_ptr<const model::Pod>(std::move(bound)));
  }
  std::vector<std::string> evicted() const {
    std::vector<std::string> names;
    for (const auto& each : port_.evictions) names.push_back(each.name);
    std::ranges::sort(names);
    return names;
  }

  test::FakePort port_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(IntentTest, isOpenBeforeTheFirstMemberIsBoundAndClosedWhenTheGangIsComplete) {
  port_.apply(node("n1").cpu("4").build());
  port_.bind_outcome = [this](const BindRequest& request) {
    EXPECT_EQ(intent(), "True");
    EXPECT_EQ(request.group, "g");
    return ok_status();
  };
  gang(2, 2);
  settle();
  EXPECT_EQ(intent(), "False");
}

TEST_F(IntentTest, isNotRecordedForALateJoinerOfACompleteGang) {
  port_.apply(node("n1").cpu("4").build());
  gang(2, 2);
  settle();
  const auto patches = port_.group_patches.size();
  port_.apply(pod("late").cpu("1").group("g").build());
  settle();
  EXPECT_EQ(port_.node_of("late"), "n1");
  EXPECT_EQ(port_.group_patches.size(), patches);
}

TEST_F(IntentTest, makesASuccessorCompleteAHalfBoundGangBeforeAnythingElse) {
  port_.apply(node("n1").cpu("3").build());
  gang(3, 3);
  set_intent("True", port_.now());
  put("g0", "n1", port_.now());
  auto urgent = std::make_shared<model::Pod>(*pod("urgent").cpu("1").priority(1000).build());
  urgent->preemption_policy = model::PreemptionPolicy::never;
  port_.apply(std::shared_ptr<const model::Pod>(std::move(urgent)));
  restart();
  settle();
  EXPECT_EQ(port_.node_of("g1"), "n1");
  EXPECT_EQ(port_.node_of("g2"), "n1");
  EXPECT_EQ(port_.node_of("urgent"), "");
  EXPECT_EQ(intent(), "False");
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(IntentTest, makesASuccessorTakeBackWhatCanNoLongerBeCompleted) {
  port_.apply(node("n1").cpu("3").build());
  gang(3, 3);
  set_intent("True", port_.now());
  put("g0", "n1", port_.now());
  put("g1", "n1", port_.now() + 1s);
  port_.apply(pod("intruder").cpu("1").on("n1").build());
  restart();
  settle();
  EXPECT_EQ(evicted(), (std::vector<std::string>{"g0", "g1"}));
  EXPECT_EQ(intent(), "False");
}

TEST_F(IntentTest, makesASuccessorTakeBackAGangWhoseOtherMembersAreGone) {
  port_.apply(node("n1").cpu("3").build());
  gang(3, 2);
  set_intent("True", port_.now());
  put("g0", "n1", port_.now());
  restart();
  settle();
  EXPECT_EQ(evicted(), std::vector<std::string>{"g0"});
}

TEST_F(IntentTest, leavesMembersAloneThatRanLongBefore) {
  port_.apply(node("n1").cpu("2").build());
  gang(3, 3);
  put("g0", "n1", port_.now() - 1h);
  set_intent("True", port_.now());
  put("g1", "n1", port_.now());
  restart();
  settle();
  EXPECT_EQ(evicted(), std::vector<std::string>{"g1"});
}

TEST_F(IntentTest, leavesAGangAloneThatSaysNothing) {
  port_.apply(node("n1").cpu("2").build());
  gang(3, 3);
  put("g0", "n1", port_.now());
  restart();
  settle();
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(IntentTest, isClosedBySomeoneWhoFindsTheGangComplete) {
  port_.apply(node("n1").cpu("3").build());
  gang(2, 2);
  set_intent("True", port_.now());
  put("g0", "n1", port_.now());
  put("g1", "n1", port_.now());
  restart();
  settle();
  EXPECT_EQ(intent(), "False");
  EXPECT_TRUE(port_.evictions.empty());
}

TEST_F(IntentTest, isRepeatedAsItWasBeforeAFailedMemberIsBoundAgain) {
  port_.apply(node("n1").cpu("4").build());
  bool refused = false;
  port_.bind_outcome = [&](const BindRequest& request) -> Status {
    if (request.pod.name != "g1" || std::exchange(refused, true)) return ok_status();
    port_.advance(1min);
    return Error{Error::Code::invalid, "the group's status could not be written"};
  };
  gang(2, 2);
  const Instant begin = port_.now();
  settle();
  std::vector<Instant> since;
  for (const auto& patch : port_.group_patches) {
    if (patch.condition.type == kBindingCondition && patch.condition.status == "True") {
      since.push_back(*patch.condition.last_transition);
    }
  }
  EXPECT_EQ(since, (std::vector<Instant>{begin, begin}));
  EXPECT_EQ(intent(), "False");
}

// Wherever the scheduler dies, its successor leaves a whole gang or none of it.
TEST_F(IntentTest, neverLeavesHalfAGangWhereverTheSchedulerDies) {
  for (int crash_after = 0; crash_after <= 4; ++crash_after) {
    for (const bool room_is_lost : {false, true}) {
      SCOPED_TRACE(std::to_string(crash_after) + (room_is_lost ? ", room lost" : ""));
      port_ = test::FakePort();
      restart();
      port_.apply(node("n1").cpu("4").build());
      int answered = 0;
      port_.bind_outcome = [&](const BindRequest&) -> Status {
        if (answered++ < crash_after) return ok_status();
        return Error{Error::Code::unavailable, "dead"};
      };
      gang(4, 4);
      port_.run_instant();
      port_.bind_outcome = {};
      const bool room_left = answered < 4 || crash_after < 4;
      if (room_is_lost && room_left) port_.apply(pod("intruder").cpu("1").on("n1").build());
      restart();
      settle();
      std::size_t placed = 0;
      for (const auto* name : {"g0", "g1", "g2", "g3"}) placed += !port_.node_of(name).empty();
      EXPECT_EQ(placed, room_is_lost && crash_after < 4 ? 0U : 4U);
    }
  }
}

}  // namespace
}  // namespace tutti::core
