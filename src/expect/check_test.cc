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
    Scene scene{store_, waiting};
    scene.queue = queue_;
    scene.request = request_;
    scene.right = right_;
    std::string out;
    for (const Expectation& expectation : *read) {
      for (const Failure& failure : check(expectation, scene)) {
        out += failure.message + "\n";
      }
    }
    return out;
  }

  store::Store store_;
  decltype(Scene::queue) queue_;
  decltype(Scene::request) request_;
  decltype(Scene::right) right_;
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

TEST_F(CheckTest, asksHowQueuesStand) {
  queue_ = [](const std::string& name) -> std::optional<QueueStanding> {
    if (name != "team-a") return std::nullopt;
    return QueueStanding{.used = {{"a100", "gpu", Quantity::from_units(8)}},
                         .borrowed = {},
                         .admitted = 2,
                         .pending = 1,
                         .head = "t/next"};
  };
  EXPECT_EQ(differences(R"(
- {queue: team-a, used: {a100: {gpu: "8"}}, borrowed: {a100: {gpu: 0}}, admitted: 2, pending: "<=1"}
- {queue: team-a, head: t/next}
- {queue: t/none, exists: false}
)"),
            "");
  EXPECT_EQ(differences("- {queue: team-a, used: {a100: {gpu: 4}}}"),
            "queue team-a: expected 4 gpu of a100 used, but it is 8\n");
  EXPECT_EQ(differences("- {queue: team-a, pending: 0, head: ''}"),
            "queue team-a: expected 0 pending, but it has 1\n"
            "queue team-a: expected head '', but it is 't/next'\n");
  EXPECT_EQ(differences("- {queue: team-b, pending: 0}"),
            "queue team-b: expected it to exist, but it does not\n");
}

TEST_F(CheckTest, asksHowRequestsStand) {
  request_ = [](const ObjectName& name) -> std::optional<RequestStanding> {
    if (name.name != "job") return std::nullopt;
    return RequestStanding{.state = "Pending",
                           .reason = "WaitingForQuota",
                           .summary = "needs 4 gpu of a100, 1 left",
                           .queue = "team-a",
                           .flavors = {{"gpu", "a100"}, {"gpu", "l4"}, {"cpu", "std"}},
                           .position = 2};
  };
  EXPECT_EQ(differences(R"(
- {request: t/job, state: Pending, reason: WaitingForQuota, queue: team-a, position: ">=2"}
- {request: t/job, flavors: {cpu: std}}
- {request: t/none, exists: false}
)"),
            "");
  EXPECT_EQ(differences("- {request: t/job, state: Admitted}"),
            "request t/job: expected state Admitted, but it is Pending (needs 4 gpu of a100, 1 "
            "left)\n");
  EXPECT_EQ(differences("- {request: t/job, flavors: {gpu: a100, memory: std}, position: 1}"),
            "request t/job: expected flavor a100 for gpu, but it has a100, l4\n"
            "request t/job: expected flavor std for memory, but it has none\n"
            "request t/job: expected position 1, but it is 2\n");
}

TEST_F(CheckTest, asksWhoMayEvictWhom) {
  right_ = [](const EvictExpectation& asked) -> EvictionRight {
    if (asked.to.queue == "none") return {"there is no ClusterQueue none", {}};
    return {{}, asked.from.priority > asked.to.priority ? "reclaim" : "never"};
  };
  EXPECT_EQ(differences(R"(
- {evict: {from: a:5, to: b}, allowed: true, rule: reclaim}
- {evict: {from: a, to: b:5}, allowed: false, rule: never}
)"),
            "");
  EXPECT_EQ(differences("- {evict: {from: a:-1, to: b}, allowed: true}"),
            "evict b:0 by a:-1: expected it to be allowed, but the rule is never\n");
  EXPECT_EQ(differences("- {evict: {from: a, to: none}, allowed: true}"),
            "evict none:0 by a:0: there is no ClusterQueue none\n");
}

}  // namespace
}  // namespace tutti::expect
