// Room made by eviction, and what becomes of it while the victims take their time.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "core/victims/victim_cost.h"
#include "support/build.h"
#include "support/fake_plugins.h"
#include "support/fake_port.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using test::pod_group;
using Names = std::vector<std::string>;

std::vector<Profile> one_profile() {
  std::vector<Profile> made;
  made.push_back(test::small_profile());
  return made;
}

// Evicted pods stay until the test lets them go.
class SlowPort : public test::FakePort {
 public:
  void evict(const PodReference& pod, const model::Condition& reason) override {
    evictions.push_back(pod);
    eviction_reasons.push_back(reason);
  }
};

class MakingRoom : public testing::Test {
 protected:
  MakingRoom() {
    port_.serve(scheduler_);
    port_.on_step = [this] { ASSERT_EQ(scheduler_.check_consistency(), ""); };
  }

  void run(const test::PodBuilder& builder, Millis age = 100s) {
    auto made = std::make_shared<model::Pod>(*builder.build());
    made->status.phase = model::PodPhase::running;
    made->status.start_time = port_.now() - age;
    port_.apply(std::shared_ptr<const model::Pod>(made));
  }
  // Members g-1 and so on, each on a node of its own that has room for nobody else.
  void run_gang(const std::string& name, int members, int minimum,
                std::optional<model::DisruptionMode> mode = std::nullopt) {
    auto group = std::make_shared<model::PodGroup>(*pod_group(name).gang(minimum).build());
    group->spec.disruption = mode;
    port_.apply(std::shared_ptr<const model::PodGroup>(group));
    for (int i = 1; i <= members; ++i) {
      const std::string number = std::to_string(i);
      port_.apply(node("n" + number).cpu("4").build());
      run(pod(name + "-" + number).cpu("4").group(name).on("n" + number));
    }
  }
  void annotate(const std::string& name, std::string_view key, const std::string& value) {
    auto made = std::make_shared<model::Pod>(*port_.find<model::Pod>("t", name));
    test::put(made->meta.annotations, key, value);
    port_.apply(std::shared_ptr<const model::Pod>(made));
  }
  // The cluster says that the pod is on its way out.
  void terminate(const std::string& name, Millis grace = 30s) {
    auto made = std::make_shared<model::Pod>(*port_.find<model::Pod>("t", name));
    made->meta.deletion = port_.now() + grace;
    made->status.conditions.push_back({.type = "DisruptionTarget",
                                       .status = "True",
                                       .reason = "PreemptionByScheduler",
                                       .message = "",
                                       .last_transition = port_.now()});
    port_.apply(std::shared_ptr<const model::Pod>(made));
  }
  void vanish(const std::string& name) { port_.remove(model::Kind::pod, "t", name); }
  Names evicted() const {
    Names names;
    for (const auto& pod : port_.evictions) names.push_back(pod.name);
    std::ranges::sort(names);
    return names;
  }
  std::string nominated(const std::string& name) const {
    return port_.find<model::Pod>("t", name)->status.nominated_node;
  }

  // Why nobody was evicted for the pod, as far as units of lower priority go.
  std::vector<Refusal> refusals(const std::string& name) const {
    const auto* attempt = scheduler_.last_attempt(*scheduler_.cluster().pods().find("pod-" + name));
    if (attempt == nullptr || attempt->preemption == nullptr) return {};
    std::vector<Refusal> reasons;
    for (const auto& refused : attempt->preemption->refused) reasons.push_back(refused.reason);
    return reasons;
  }

  SlowPort port_;
  Scheduler scheduler_{SchedulerOptions{}, one_profile(), port_};
};

TEST_F(MakingRoom, nominatesThePreemptorAndPlacesItWhenTheVictimIsGone) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("low").cpu("4").on("n1"));
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"low"});
  EXPECT_EQ(nominated("high"), "n1");
  EXPECT_EQ(port_.node_of("high"), "");

  terminate("low");
  port_.run_instant();
  vanish("low");
  port_.run_instant();
  EXPECT_EQ(port_.node_of("high"), "n1");
}

TEST_F(MakingRoom, keepsWhatOneVictimLeftUntilTheOtherIsGoneToo) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("v1").cpu("2").on("n1"));
  run(pod("v2").cpu("2").on("n1"));
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), (Names{"v1", "v2"}));
  vanish("v1");
  port_.apply(pod("lower").cpu("1").priority(9).build());
  port_.apply(pod("equal").cpu("1").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(port_.node_of("lower"), "");
  EXPECT_EQ(port_.node_of("equal"), "");
  port_.apply(pod("higher").cpu("1").priority(11).build());
  port_.run_instant();
  EXPECT_EQ(port_.node_of("higher"), "n1");
}

TEST_F(MakingRoom, keepsWhatWasFreeBeforeAsWell) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("low").cpu("2").on("n1"));
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), Names{"low"});
  port_.apply(pod("small").cpu("1").build());
  port_.run_instant();
  EXPECT_EQ(port_.node_of("small"), "");
}

TEST_F(MakingRoom, evictsNobodyElseWhileVictimsTakeTheirTime) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("v1").cpu("4").on("n1"), 10s);
  run(pod("v2").cpu("4").on("n2"), 20s);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), Names{"v1"});
  terminate("v1");
  for (int i = 0; i < 20; ++i) {
    port_.advance(1s);
    port_.run_instant();
  }
  EXPECT_EQ(evicted(), Names{"v1"});
  EXPECT_EQ(nominated("high"), "n1");
}

TEST_F(MakingRoom, givesTheRoomUpWhenItsTimeIsOver) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("stuck").cpu("3").on("n1").with(
      [](model::PodSpec& spec) { spec.termination_grace_seconds = 5; }));
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(nominated("high"), "n1");
  terminate("stuck", 5s);
  port_.apply(pod("small").cpu("1").build());
  port_.run_instant();
  ASSERT_EQ(port_.node_of("small"), "");
  port_.advance(66s);
  port_.run_instant();
  EXPECT_EQ(port_.node_of("small"), "n1");
  EXPECT_EQ(nominated("high"), "");
}

TEST_F(MakingRoom, startsOverWhenTheNodeItCountsOnDisappears) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("v1").cpu("4").on("n1"), 10s);
  run(pod("v2").cpu("4").on("n2"), 20s);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), Names{"v1"});
  port_.remove(model::Kind::node, "", "n1");
  port_.run_instant();
  EXPECT_EQ(evicted(), (Names{"v1", "v2"}));
  EXPECT_EQ(nominated("high"), "n2");
}

TEST_F(MakingRoom, goesOnWithWhatAPredecessorBegan) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("v1").cpu("4").on("n1"));
  run(pod("v2").cpu("4").on("n2"));
  terminate("v1");
  auto high = std::make_shared<model::Pod>(*pod("high").cpu("4").priority(10).build());
  high->status.nominated_node = "n1";
  port_.apply(std::shared_ptr<const model::Pod>(high));
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  EXPECT_EQ(nominated("high"), "n1");
  port_.apply(pod("equal").cpu("4").priority(10).build());
  vanish("v1");
  port_.run_instant();
  EXPECT_EQ(port_.node_of("high"), "n1");
}

// The predecessor died between the first and the last eviction.
TEST_F(MakingRoom, completesAPreemptionThatAPredecessorLeftHalfDone) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("v1").cpu("4").on("n1"));
  run(pod("v2").cpu("4").on("n2"));
  port_.apply(pod_group("g").gang(2).priority(10).build());
  port_.apply(pod("a").cpu("4").group("g").priority(10).build());
  port_.apply(pod("b").cpu("4").group("g").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), (Names{"v1", "v2"}));
  terminate("v1");  // the other one was never told
  port_.evictions.clear();

  Scheduler successor(SchedulerOptions{}, one_profile(), port_);
  port_.serve(successor);
  port_.on_step = [&] { ASSERT_EQ(successor.check_consistency(), ""); };
  const auto objects = port_.objects();
  for (const auto& [key, object] : objects) {
    successor.observe({Observation::Type::added, object, false}, port_.now());
  }
  successor.take_over(port_.now());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  vanish("v1");
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"v2"});
  vanish("v2");
  port_.run_instant();
  EXPECT_NE(port_.node_of("a"), "");
  EXPECT_NE(port_.node_of("b"), "");
  EXPECT_TRUE(successor.cluster().held().empty());
}

TEST_F(MakingRoom, pardonsVictimsThatAPredecessorOnlyMarked) {
  port_.apply(node("n1").cpu("4").build());
  auto marked = std::make_shared<model::Pod>(*pod("v1").cpu("4").on("n1").build());
  marked->status.conditions.push_back(
      {.type = "DisruptionTarget",
       .status = "True",
       .reason = "PreemptionByScheduler",
       .message = "default-scheduler: preempting to accommodate a pod",
       .last_transition = port_.now()});
  port_.apply(std::shared_ptr<const model::Pod>(marked));
  scheduler_.take_over(port_.now());
  port_.run_instant();
  const auto* pod = port_.find<model::Pod>("t", "v1");
  EXPECT_EQ(model::find(pod->status.conditions, "DisruptionTarget")->status, "False");
}

TEST_F(MakingRoom, waitsForPodsThatAreLeavingAnyway) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("leaver").cpu("4").priority(50).on("n1"));
  run(pod("low").cpu("4").on("n2"));
  terminate("leaver");
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  EXPECT_EQ(nominated("high"), "n1");
  vanish("leaver");
  port_.apply(pod("equal").cpu("1").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(port_.node_of("high"), "n1");
  EXPECT_EQ(port_.node_of("equal"), "");
}

TEST_F(MakingRoom, sparesTheYoungUntilTheyHaveRunLongEnough) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("young").cpu("4").on("n1"), 60s);
  annotate("young", kMinRuntime, "5m");
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  EXPECT_EQ(refusals("high"), std::vector{Refusal::min_runtime});
  port_.advance(239s);
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  port_.advance(1s);
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"young"});
}

TEST_F(MakingRoom, doesNotWaitForAPodThatShouldHaveGoneLongAgo) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("stuck").cpu("4").on("n1"));
  terminate("stuck", -10min);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
  EXPECT_EQ(nominated("high"), "");
  EXPECT_EQ(refusals("high"), std::vector{Refusal::terminating});
}

TEST_F(MakingRoom, leavesAPodAloneUntilItIsBound) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(pod("low").cpu("4").build());
  ASSERT_TRUE(scheduler_.schedule_one(port_.now()));  // its binding is under way
  port_.apply(pod("high").cpu("4").priority(10).build());
  while (scheduler_.schedule_one(port_.now())) {
  }
  EXPECT_EQ(evicted(), Names{});
  EXPECT_EQ(refusals("high"), std::vector{Refusal::binding});
  port_.run_instant();
  port_.advance(10s);  // for it was tried a moment ago
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"low"});
}

TEST_F(MakingRoom, doesNotEvictTheOneItGaveWayTo) {
  port_.apply(node("n1").cpu("4").build());
  run(pod("first").cpu("4").on("n1"));
  port_.apply(pod("second").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), Names{"first"});
  vanish("first");
  port_.run_instant();
  ASSERT_EQ(port_.node_of("second"), "n1");
  // The evicted pod returns with a priority that would have saved it.
  port_.apply(pod("first").cpu("4").priority(20).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"first"});
  EXPECT_EQ(refusals("first"), std::vector{Refusal::displaced});
}

TEST_F(MakingRoom, countsEveryoneWhoIsRefusedAndNamesTheFirst) {
  constexpr std::size_t kPods = PreemptionReport::kNamed + 20;
  port_.apply(node("n1").cpu("200").build());
  for (std::size_t i = 0; i < kPods; ++i) {
    run(pod("young" + std::to_string(i)).cpu("1").on("n1"), 1s);
    annotate("young" + std::to_string(i), kMinRuntime, "5m");
  }
  port_.apply(pod("high").cpu("200").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(refusals("high").size(), PreemptionReport::kNamed);
  const auto* attempt = scheduler_.last_attempt(*scheduler_.cluster().pods().find("pod-high"));
  EXPECT_EQ(attempt->preemption->refused_for(Refusal::min_runtime), kPods);
}

TEST_F(MakingRoom, prefersWorkThatWasSavedRecently) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("saved").cpu("4").on("n2"), 1000s);
  run(pod("unsaved").cpu("4").on("n1"), 500s);
  annotate("saved", kCheckpointedAt, format_rfc3339(port_.now() - 10s));
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{"saved"});
}

TEST_F(MakingRoom, takesSurplusMembersBeforeItBreaksAGang) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  port_.apply(pod_group("exact").gang(1).build());
  port_.apply(pod_group("elastic").gang(1).build());
  run(pod("exact-0").cpu("4").group("exact").on("n1"), 10s);
  run(pod("elastic-0").cpu("2").group("elastic").on("n2"), 11s);
  run(pod("elastic-1").cpu("2").group("elastic").on("n2"), 11s);
  port_.apply(pod("high").cpu("2").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted().size(), 1U);
  EXPECT_TRUE(evicted()[0].starts_with("elastic"));
}

TEST_F(MakingRoom, evictsAGangWholeThatWouldBeLeftBelowItsMinimum) {
  run_gang("g", 3, 3);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), (Names{"g-1", "g-2", "g-3"}));
}

TEST_F(MakingRoom, takesOneMemberOfAGangThatAsksForIt) {
  run_gang("g", 3, 3, model::DisruptionMode::single);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted().size(), 1U);
}

TEST_F(MakingRoom, countsThoseThatAreLeavingWhenItLooksForMembersToSpare) {
  run_gang("g", 3, 2);
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted().size(), 1U);
  port_.apply(pod("second").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), (Names{"g-1", "g-2", "g-3"})) << "there was one to spare, not two";
}

TEST_F(MakingRoom, takesNoMoreThanAGangCanSpareWhileAMemberIsProtected) {
  run_gang("g", 3, 2);
  annotate("g-3", kMinRuntime, "1h");
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted().size(), 1U);
  port_.apply(pod("second").cpu("4").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted().size(), 1U);
  EXPECT_EQ(refusals("second"), std::vector{Refusal::min_runtime});
}

// One of two was told at once, the other may save its work first; then there is room elsewhere.
TEST_F(MakingRoom, doesNotPardonWhatIsLeftOfAGang) {
  run_gang("g", 2, 2);
  annotate("g-2", kCheckpointGrace, "2m");
  port_.apply(pod("high").cpu("4").priority(10).build());
  port_.run_instant();
  ASSERT_EQ(evicted(), Names{"g-1"});
  terminate("g-1");
  port_.apply(node("n3").cpu("4").build());
  port_.advance(20s);
  port_.run_instant();
  ASSERT_EQ(port_.node_of("high"), "n3");
  EXPECT_EQ(evicted(), (Names{"g-1", "g-2"}));
}

TEST_F(MakingRoom, finishesTheFallOfAGangThatAPredecessorBegan) {
  run_gang("g", 3, 3);
  auto gone = std::make_shared<model::Pod>(*port_.find<model::Pod>("t", "g-1"));
  gone->meta.deletion = port_.now() + 30s;
  gone->status.conditions.push_back(
      {.type = "DisruptionTarget",
       .status = "True",
       .reason = "PreemptionByScheduler",
       .message = "default-scheduler: preempting to accommodate a pod",
       .last_transition = port_.now()});
  port_.apply(std::shared_ptr<const model::Pod>(gone));
  scheduler_.take_over(port_.now());
  port_.run_instant();
  EXPECT_EQ(evicted(), (Names{"g-2", "g-3"}));
}

TEST_F(MakingRoom, evictsNothingForAGangThatThenWouldNotFit) {
  port_.apply(node("n1").cpu("4").build());
  port_.apply(node("n2").cpu("4").build());
  run(pod("low").cpu("4").on("n1"));
  run(pod("top").cpu("4").priority(99).on("n2"));
  port_.apply(pod_group("g").gang(2).priority(10).build());
  port_.apply(pod("a").cpu("4").group("g").priority(10).build());
  port_.apply(pod("b").cpu("4").group("g").priority(10).build());
  port_.run_instant();
  EXPECT_EQ(evicted(), Names{});
}

}  // namespace
}  // namespace tutti::core
