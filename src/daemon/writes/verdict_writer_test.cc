#include "daemon/writes/verdict_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti::daemon {
namespace {

using std::chrono::seconds;

core::SchedulerOptions narrator_options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// A scheduler that speaks to a cluster of plain values through a narrator.
class NarratorTest : public testing::Test {
 protected:
  NarratorTest() { port.serve(*scheduler); }

  VerdictWriter::Handlers handlers() {
    return {[this] { return explain::sources_of(*scheduler); }, [this] { return port.now(); },
            [this] { ++news; }};
  }
  // Everything that is due is told, and the cluster hears it.
  void tell() {
    while (narrator.tell_next()) continue;
    port.run_instant();
  }
  void settle() {
    ASSERT_TRUE(port.settle());
    tell();
  }
  std::string message(const std::string& pod) const {
    const auto* found = port.find<model::Pod>("t", pod);
    const auto* condition = model::find(found->status.conditions, "PodScheduled");
    return condition == nullptr ? "(none)" : condition->message;
  }
  const model::Condition* group_condition(const std::string& group) const {
    const auto& object = *port.find<model::PodGroup>("t", group);
    return model::find(object.conditions, model::scheduled_condition_type(object));
  }
  std::vector<std::string> notes(const std::string& reason) const {
    std::vector<std::string> found;
    for (const auto& event : port.events) {
      if (event.reason == reason) found.push_back(event.about->meta.name + ": " + event.message);
    }
    return found;
  }
  void gang(const std::string& name, int minimum, int pods, const std::string& cpu) {
    port.apply(test::pod_group(name).gang(minimum).build());
    for (int i = 0; i < pods; ++i) {
      port.apply(test::pod(name + "-" + std::to_string(i)).cpu(cpu).group(name).build());
    }
  }

  test::FakePort port;
  int news = 0;
  VerdictWriter narrator{port, handlers()};
  std::unique_ptr<core::Scheduler> scheduler =
      std::make_unique<core::Scheduler>(narrator_options(), test::default_profiles(), narrator);
};

TEST_F(NarratorTest, addsTheVerdictToTheReasonsOfAPod) {
  port.apply(test::node("n1").cpu("2").build());
  port.apply(test::pod("a").cpu("4").build());
  ASSERT_TRUE(port.settle());
  EXPECT_TRUE(port.pod_patches.empty()) << "told between decisions only";
  EXPECT_GT(news, 0);
  tell();
  EXPECT_EQ(message("a"),
            "0/1 nodes are available: 1 Insufficient cpu. Impossible: needs 4 cpu on one node; the "
            "largest of 1 node has 2 cpu.");
  ASSERT_EQ(notes("FailedScheduling").size(), 1U);
  EXPECT_EQ(notes("FailedScheduling")[0], "a: " + message("a"));
  EXPECT_FALSE(narrator.next_due().has_value());
}

TEST_F(NarratorTest, tellsAGroupAndItsPodsWhatBlocksThem) {
  for (const char* name : {"n1", "n2", "n3"}) port.apply(test::node(name).cpu("4").build());
  port.apply(test::pod("runs").cpu("4").on("n3").build());
  gang("g", 3, 3, "3");
  settle();
  ASSERT_NE(group_condition("g"), nullptr);
  const std::string told = group_condition("g")->message;
  EXPECT_EQ(group_condition("g")->reason, "Unschedulable");
  EXPECT_TRUE(told.starts_with("PodGroup t/g needs 3 members at once, 2 fit")) << told;
  EXPECT_NE(told.find(". Blocked by capacity: needs 3 pods of 3 cpu at once; 2 fit now"),
            std::string::npos)
      << told;
  for (const char* pod : {"g-0", "g-1", "g-2"}) {
    EXPECT_NE(message(pod).find("Blocked by "), std::string::npos) << message(pod);
  }
}

TEST_F(NarratorTest, saysNothingTwice) {
  port.apply(test::node("n1").cpu("4").build());
  gang("g", 2, 2, "3");
  settle();
  const auto patches = port.pod_patches.size();
  const auto conditions = port.group_patches.size();
  const auto events = port.events.size();
  EXPECT_EQ(patches, 2U);
  EXPECT_EQ(conditions, 1U);
  for (int i = 0; i < 5; ++i) {  // tries again, to the same end
    port.advance(seconds(60));
    port.run_instant();
    tell();
  }
  EXPECT_EQ(port.pod_patches.size(), patches);
  EXPECT_EQ(port.group_patches.size(), conditions);
  EXPECT_EQ(port.events.size(), events);
}

TEST_F(NarratorTest, needNotRepeatWhatAPredecessorSaid) {
  port.apply(test::node("n1").cpu("2").build());
  port.apply(test::pod("a").cpu("4").build());
  gang("g", 2, 2, "2");
  settle();
  const auto patches = port.pod_patches.size() + port.group_patches.size();
  const auto events = port.events.size();

  // A new process sees the same objects, with what was written to them.
  const auto objects = port.objects();
  VerdictWriter successor(port, handlers());
  scheduler =
      std::make_unique<core::Scheduler>(narrator_options(), test::default_profiles(), successor);
  port.serve(*scheduler);
  for (const auto& [key, object] : objects) {
    scheduler->observe({core::Observation::Type::added, object, false}, port.now());
  }
  ASSERT_TRUE(port.settle());
  while (successor.tell_next()) continue;
  EXPECT_EQ(port.pod_patches.size() + port.group_patches.size(), patches);
  EXPECT_EQ(port.events.size(), events);
}

TEST_F(NarratorTest, forgetsARefusalThatIsNotTrueAnyMore) {
  port.apply(test::node("n1").cpu("2").build());
  port.apply(test::pod("a").cpu("4").build());
  ASSERT_TRUE(port.settle());
  port.apply(test::node("n2").cpu("8").build());
  ASSERT_TRUE(port.settle());
  EXPECT_EQ(port.node_of("a"), "n2");
  tell();
  EXPECT_TRUE(port.pod_patches.empty());
  EXPECT_TRUE(notes("FailedScheduling").empty());
}

TEST_F(NarratorTest, keepsAGroupThatWasPlacedScheduled) {
  port.apply(test::node("n1").cpu("2").build());
  gang("g", 2, 2, "2");
  ASSERT_TRUE(port.settle());
  port.apply(test::node("n2").cpu("2").build());
  ASSERT_TRUE(port.settle());
  tell();
  ASSERT_NE(group_condition("g"), nullptr);
  EXPECT_EQ(group_condition("g")->status, "True");
  EXPECT_EQ(port.group_patches.size(), 1U);
}

TEST_F(NarratorTest, waitsWithNewsThatDifferInNumbersOnly) {
  port.apply(test::node("n1").cpu("4").build());
  port.apply(test::node("n2").cpu("2").build());
  gang("g", 2, 2, "3");
  port.run_instant();
  tell();
  const std::string first = message("g-1");
  EXPECT_NE(first.find("0/2 nodes are available"), std::string::npos) << first;
  port.apply(test::node("n3").cpu("2").build());
  port.run_instant();
  port.advance(*scheduler->next_wakeup() - port.now());  // the end of its backoff
  port.run_instant();
  tell();
  EXPECT_EQ(message("g-1"), first);
  ASSERT_TRUE(narrator.next_due().has_value());
  port.advance(*narrator.next_due() - port.now());
  tell();
  EXPECT_NE(message("g-1").find("0/3 nodes are available"), std::string::npos) << message("g-1");
  EXPECT_EQ(notes("FailedScheduling").size(), 2U) << "a new number is no new event";
}

TEST_F(NarratorTest, passesOtherWritesOnAtOnce) {
  port.apply(test::node("n1").cpu("2").build());
  port.apply(test::pod_group("g").gang(2).priority(5).build());
  port.apply(test::pod("g-0").cpu("1").group("g").priority(7).build());
  port.apply(test::pod("g-1").cpu("1").group("g").priority(5).build());
  port.apply(test::pod("a").cpu("1").build());
  port.run_instant();
  EXPECT_EQ(port.node_of("a"), "n1");
  EXPECT_EQ(notes("Scheduled").size(), 1U);
  EXPECT_EQ(group_condition("g")->reason, "SchedulerError");
}

TEST_F(NarratorTest, writesANominationBeforeItsReasons) {
  port.apply(test::node("n1").cpu("2").build());
  port.apply(test::pod("low").cpu("2").priority(1).build());
  ASSERT_TRUE(port.settle());
  port.apply(test::pod("high").cpu("2").priority(9).build());
  while (scheduler->schedule_one(port.now())) continue;
  ASSERT_FALSE(port.pod_patches.empty());
  EXPECT_EQ(port.pod_patches.front().nominated_node, "n1");
  EXPECT_FALSE(port.pod_patches.front().condition.has_value());
}

TEST_F(NarratorTest, saysWhatHeldWorkWaitsForWithoutACondition) {
  port.apply(test::node("n1").cpu("8").build());
  gang("g", 3, 2, "1");
  port.apply(test::pod("o-0").cpu("1").group("orphan").build());
  port.apply(test::pod("gated").cpu("1").gate("example.com/x").build());
  settle();
  narrator.tell_of_held();
  EXPECT_TRUE(port.events.empty()) << "its members may be on their way";
  port.advance(seconds(5));
  narrator.tell_of_held();
  const std::vector<std::string> expected = {
      "g: 2 of 3 members of PodGroup t/g exist; 1 more pod is needed",
      "g-0: 2 of 3 members of PodGroup t/g exist; 1 more pod is needed",
      "g-1: 2 of 3 members of PodGroup t/g exist; 1 more pod is needed",
      "o-0: waits for PodGroup t/orphan, which does not exist; 1 pod names it"};
  EXPECT_EQ(notes("SchedulingHeld"), expected);
  EXPECT_EQ(message("g-0"), "(none)");
  EXPECT_EQ(group_condition("g"), nullptr);
  port.advance(seconds(60));
  narrator.tell_of_held();
  EXPECT_EQ(notes("SchedulingHeld").size(), expected.size()) << "said once";
}

}  // namespace
}  // namespace tutti::daemon
