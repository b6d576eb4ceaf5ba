#include "expect/check.h"

#include <gtest/gtest.h>

#include <string>

#include "expect/reader.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "support/build.h"

namespace tutti::expect {
namespace {

class CheckTest : public testing::Test {
 protected:
  void SetUp() override {
    add(*test::node("n1").label("rack", "r1").build());
    add(*test::node("n2").label("rack", "r2").build());
    add(*test::pod_group("g").gang(2).build());
    add(*test::pod("a").group("g").label("app", "x").on("n1").build());
    add(*test::pod("b").group("g").label("app", "x").on("n2").build());
    add(*test::pod("c").group("g").label("app", "x").build());
    model::Pod failed = *test::pod("lone").build();
    failed.status.conditions.push_back(
        {"PodScheduled", "False", "Unschedulable", "0/2 nodes are available", {}, 0});
    add(failed);
    model::Event event;
    event.meta.ns = "t";
    event.meta.name = "e1";
    event.involved.ns = "t";
    event.involved.name = "lone";
    event.reason = "FailedScheduling";
    event.count = 3;
    add(event);
  }

  void add(const model::Object& object) { ASSERT_TRUE(store_.create(object, {}).ok()); }

  // The differences, one per line; empty when all holds.
  std::string differences(std::string_view text) {
    Result<Expectations> read = read_expectations(text);
    if (!read.ok()) return read.error().message;
    const auto waiting = [](const model::ObjectKey&) {
      return Standing{"Waiting", "capacity", "needs 2 more cpu"};
    };
    std::string out;
    for (const Expectation& expectation : *read) {
      for (const Failure& failure : check(expectation, Scene{store_, waiting})) {
        out += failure.message + "\n";
      }
    }
    return out;
  }

  store::Store store_;
};

TEST_F(CheckTest, isSilentWhenEverythingHolds) {
  EXPECT_EQ(differences(R"(
- {podGroup: t/g, members: 3, bound: 2, state: Waiting, blocker: capacity}
- {pod: t/a, node: n1, bound: true, phase: Pending}
- {pod: t/c, bound: false, noCondition: PodScheduled}
- {pod: t/gone, exists: false}
- pod: t/lone
  condition: {type: PodScheduled, status: False, reason: Unschedulable, message: 0/2 nodes}
- {pods: {namespace: t, selector: app=x}, count: 3, bound: ">=1"}
- distinctNodes: [t/a, t/b]
- events: {about: t/lone, reason: FailedScheduling, count: 3}
)"),
            "");
}

TEST_F(CheckTest, countsThePodsOfAWorkloadThroughWhatItMakes) {
  model::OtherObject set;
  set.api_version = "leaderworkerset.x-k8s.io/v1";
  set.kind_name = "LeaderWorkerSet";
  set.meta.name = "llm";
  set.meta.ns = "t";
  set.meta.uid = "set";
  add(set);
  model::StatefulSet leaders;
  leaders.meta = set.meta;
  leaders.meta.uid = "leaders";
  leaders.meta.owners = {
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llm", "set", true, true}};
  add(leaders);
  for (const char* name : {"llm-0", "llm-1"}) {
    model::Pod pod = *test::pod(name).on("n1").build();
    pod.meta.owners = {{"apps/v1", "StatefulSet", "llm", "leaders", true, true}};
    add(pod);
  }
  EXPECT_EQ(differences("- {leaderWorkerSet: t/llm, members: 2, bound: 2, domain: rack=r1, "
                        "state: Waiting, blocker: capacity}"),
            "");
  EXPECT_EQ(differences("- {statefulSet: t/llm, bound: 2}"), "");
  EXPECT_EQ(differences("- {leaderWorkerSet: t/llm, domain: rack=r2}"),
            "leaderWorkerSet t/llm: expected domain rack=r2, but rack of its members: r1\n");
  EXPECT_EQ(differences("- {jobSet: t/llm}"),
            "jobSet t/llm: expected it to exist, but it does not\n");
}

TEST_F(CheckTest, asksTheSchedulerAboutDomainsThatNoLabelTells) {
  using Names = std::set<std::string>;
  const auto on = [](const char* node) {
    model::Pod pod;
    pod.node_name = node;
    return pod;
  };
  const model::Pod one = on("n1");
  const model::Pod two = on("n2");
  const model::Pod waiting = on("");
  const Scene scene{store_, {}, [](const auto& key, const auto& pod) {
                      return std::vector{key + " of " + pod.node_name, key + " of all"};
                    }};
  const std::vector<const model::Pod*> first = {&one, &waiting};
  const std::vector<const model::Pod*> both = {&one, &two};
  EXPECT_EQ(domains_of(scene, "rack", first), Names{"r1"});
  EXPECT_EQ(domains_of(scene, "clique", first), Names{"clique of n1"});
  EXPECT_EQ(domains_of(scene, "clique", both), Names{"clique of all"}) << "what they share";
  EXPECT_EQ(domains_of({store_, {}}, "clique", first), Names{""});
}

TEST_F(CheckTest, saysWhatWasExpectedAndWhatIs) {
  const auto expect_difference = [&](std::string_view text, std::string_view difference) {
    SCOPED_TRACE(text);
    EXPECT_EQ(differences(text), std::string(difference) + "\n");
  };
  expect_difference("- {podGroup: t/g, bound: 3}",
                    "podGroup t/g: expected 3 bound, but 2 of 3 pods have a node");
  expect_difference("- {podGroup: t/g, state: Running}",
                    "podGroup t/g: expected state Running, but it is Waiting (needs 2 more cpu)");
  expect_difference("- {podGroup: t/g, domain: rack}",
                    "podGroup t/g: expected domain rack, but rack of its members: r1, r2");
  expect_difference("- {podGroup: t/none, state: Running}",
                    "podGroup t/none: expected it to exist, but it does not");
  expect_difference("- {pod: t/a, node: n2}", "pod t/a: expected node n2, but it is on n1");
  expect_difference("- {pod: t/c, bound: true}",
                    "pod t/c: expected it to be bound, but it has no node");
  expect_difference("- {pod: t/a, exists: false}",
                    "pod t/a: expected it not to exist, but it does");
  expect_difference("- {pod: t/lone, condition: {type: PodScheduled, status: True}}",
                    "pod t/lone: expected condition PodScheduled=True, but it is False "
                    "(Unschedulable: 0/2 nodes are available)");
  expect_difference("- {pod: t/lone, noCondition: PodScheduled}",
                    "pod t/lone: expected no condition PodScheduled, but it is False "
                    "(Unschedulable: 0/2 nodes are available)");
  expect_difference("- {pods: {namespace: t, selector: app=none}, phase: Running}",
                    "pods of t with app=none: expected pods, but there are none");
  expect_difference("- sameNode: [t/a, t/b]",
                    "sameNode: expected one node for all, but t/a is on n1, t/b is on n2");
  expect_difference("- distinctNodes: [t/a, t/c]",
                    "distinctNodes: expected t/c to have a node, but it has none");
  expect_difference("- events: {reason: Preempted}",
                    "events Preempted: expected at least 1, but there were 0");
}

}  // namespace
}  // namespace tutti::expect
