#include "explain/explain.h"

#include <gtest/gtest.h>

#include "explain/test_stage.h"
#include "model/storage.h"
#include "support/build.h"
#include "support/fake_filters.h"

namespace tutti::explain {
namespace {

using core::Code;
using test::kNoCpu;
using Stage = test::VerdictStage;
using Membership = core::GroupTable::Membership;

const std::vector<Amount> kNothing;

TEST(Explain, aGangThatIsShortOfCapacity) {
  Stage stage;
  stage.nodes(4, "4");
  stage.pod(test::pod("busy").cpu("4").on("n4"));
  stage.pod(test::pod("small").cpu("1").on("n1"));
  const auto verdict = stage.tried(stage.gang(4, 4, test::pod("m").cpu("3")), {kNoCpu}, 3);
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
  EXPECT_EQ(verdict.summary,
            "needs 4 pods of 3 cpu at once; 3 fit now (3 nodes have room for one each), 1 more "
            "needs 3 cpu on one node");
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"members", "4"}, {"cpu", "12"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"members", "3"}, {"cpu", "11"}}));
  ASSERT_EQ(verdict.nodes.size(), 1U);
  EXPECT_EQ(verdict.nodes[0].count, 3U);
}

TEST(Explain, aGangWhoseRoomIsScattered) {
  Stage stage;
  stage.nodes(4, "4");
  stage.pod(test::pod("busy").cpu("3").on("n4"));
  const auto verdict = stage.tried(stage.gang(4, 4, test::pod("m").cpu("3")), {kNoCpu}, 3);
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::fragmentation);
  EXPECT_EQ(verdict.summary,
            "needs 4 pods of 3 cpu at once; 3 fit now (3 nodes have room for one each), 1 more "
            "needs 3 cpu on one node; 13 cpu are free in all, but not in that shape");
  EXPECT_EQ(verdict.have[1], (Amount{"cpu", "13"}));
}

TEST(Explain, aPodBehindSomeoneWhoMadeRoom) {
  Stage stage;
  stage.nodes(2, "4");
  stage.pod(test::pod("busy").cpu("4").on("n2"));
  stage.cluster.hold(stage.pod(test::pod("ahead").cpu("4").priority(9)), {0});
  const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("3")), {kNoCpu});
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::priority);
  EXPECT_EQ(verdict.summary,
            "needs 3 cpu on one node; there is room for it, but 4 cpu are kept for Pod t/ahead "
            "(priority 9) until others have left");
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"cpu", "3"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"cpu", "0"}}));
}

TEST(Explain, aGangBehindAGangThatMadeRoom) {
  Stage stage;
  stage.nodes(3, "4");
  stage.pod(test::pod("busy").cpu("4").on("n3"));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::string name = "ahead-" + std::to_string(i);
    stage.cluster.hold(stage.pod(test::pod(name).cpu("2").group("ahead").priority(9)), {i});
  }
  const auto verdict = stage.tried(stage.gang(2, 2, test::pod("m").cpu("3")), {kNoCpu}, 0);
  EXPECT_EQ(verdict.blocker, Blocker::priority);
  EXPECT_EQ(verdict.summary,
            "needs 2 pods of 3 cpu at once; there is room for it, but 4 cpu are kept for PodGroup "
            "t/ahead (priority 9) until others have left");
}

TEST(Explain, roomThatIsKeptAndTooLittleIsNoExcuse) {
  Stage stage;
  stage.nodes(2, "4");
  stage.pod(test::pod("busy").cpu("4").on("n2"));
  stage.pod(test::pod("beside").cpu("2").on("n1"));
  stage.cluster.hold(stage.pod(test::pod("ahead").cpu("2").priority(9)), {0});
  const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("3")), {kNoCpu});
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
}

TEST(Explain, aGangLargerThanAllNodesTogetherIsImpossible) {
  Stage stage;
  stage.nodes(3, "4");
  const auto verdict = stage.tried(stage.gang(5, 5, test::pod("m").cpu("3")), {kNoCpu}, 3);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::bad_request);
  EXPECT_EQ(verdict.summary,
            "needs 5 pods of 3 cpu at once, 15 cpu in all; even when empty, 3 nodes have 12 cpu");
}

TEST(Explain, aGangThatFitsNoShapeOfTheEmptyNodesIsImpossible) {
  Stage stage;
  stage.nodes(3, "4");
  const auto verdict = stage.tried(stage.gang(4, 4, test::pod("m").cpu("3")), {kNoCpu}, 3);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::fragmentation);
  EXPECT_EQ(verdict.summary,
            "needs 4 pods of 3 cpu at once; even when empty, 3 nodes hold 3; 12 cpu are there in "
            "all, but not in that shape");
}

TEST(Explain, aPodLargerThanEveryNodeIsImpossible) {
  Stage stage;
  stage.nodes(3, "4");
  const auto pod = stage.pod(test::pod("a").cpu("8"));
  const auto verdict = stage.tried(pod, {{"NodeResourcesFit", "Insufficient cpu",
                                          Code::unresolvable, 3, core::Concern::resources}});
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::bad_request);
  EXPECT_EQ(verdict.summary, "needs 8 cpu on one node; the largest of 3 nodes has 4 cpu");
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"cpu", "8"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"cpu", "4"}}));
}

TEST(Explain, aPodWaitsForTheFullNodesNotForTheTaintedOnes) {
  Stage stage;
  for (const char* name : {"c1", "c2", "c3"}) {
    stage.cluster.set_node(test::node(name).taint("control", "", "NoSchedule"));
  }
  stage.nodes(1, "4");
  stage.pod(test::pod("busy").cpu("3").on("n1"));
  const auto verdict = stage.tried(
      stage.pod(test::pod("a").cpu("2")),
      {{"TaintToleration", "node(s) had untolerated taint(s)", Code::unresolvable, 3,
        core::Concern::taints},
       {"NodeResourcesFit", "Insufficient cpu", Code::unschedulable, 1, core::Concern::resources}});
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
  EXPECT_EQ(verdict.summary,
            "needs 2 cpu on one node; 1 node could take it and the most that is free on one is 1 "
            "cpu");
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"cpu", "2"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"cpu", "1"}}));
}

TEST(Explain, aTaintOnTheOnlyNodesThatMatchIsTheBlocker) {
  Stage stage;
  stage.nodes(3, "4");
  stage.cluster.set_node(test::node("gpu").label("gpu", "h100").taint("gpu", "", "NoSchedule"));
  const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("2").node_selector("gpu", "h100")),
                                   {{"NodeAffinity", "node(s) didn't match", Code::unresolvable, 3,
                                     core::Concern::node_affinity},
                                    {"TaintToleration", "node(s) had untolerated taint(s)",
                                     Code::unresolvable, 1, core::Concern::taints}});
  EXPECT_EQ(verdict.blocker, Blocker::taints);
  EXPECT_EQ(verdict.summary,
            "no node takes it now: 1 of 4 nodes had untolerated taint(s), 3 didn't match");
}

TEST(Explain, roomIsNoHelpOnANodeThatSomethingElseKeepsAway) {
  struct Case {
    std::string_view name;
    bool tainted, selects;
    Blocker blocker;
  };
  const Case cases[] = {{"full", false, false, Blocker::fragmentation},
                        {"full and tainted", true, false, Blocker::taints},
                        {"full and not chosen", false, true, Blocker::affinity}};
  for (const auto& [name, tainted, selects, blocker] : cases) {
    SCOPED_TRACE(name);
    Stage stage;
    for (const std::string node : {"n1", "n2"}) {
      auto made = test::node(node).cpu("4");
      stage.cluster.set_node(tainted ? made.taint("a", "b", "NoSchedule") : made);
      stage.pod(test::pod("on-" + node).cpu("2").on(node));
    }
    auto pod = test::pod("a").cpu("3");
    const auto id = stage.pod(selects ? pod.node_selector("gpu", "h100") : pod);
    EXPECT_EQ(stage.tried(id, {kNoCpu}).blocker, blocker);
  }
}

TEST(Explain, namesTheFilterThatTheAttemptDidNotComeTo) {
  Stage stage;
  stage.nodes(2, "4");
  stage.pod(test::pod("busy").cpu("2").on("n1"));
  stage.pod(test::pod("too").cpu("2").on("n2"));
  test::add_filter<test::FakeFilter>(
      stage.profile, "InterPodAffinity", core::Concern::pod_affinity,
      [](const core::Cluster&, const core::PodClass&, core::NodeId) -> core::PluginStatus {
        return {Code::unresolvable, {}, "nobody is there"};
      });
  const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("3")), {kNoCpu});
  EXPECT_EQ(verdict.blocker, Blocker::affinity);
  EXPECT_EQ(verdict.summary, "2 of 2 nodes are kept from it by InterPodAffinity");
}

TEST(Explain, theBlockerOfAUsersFilterIsTheOneItSays) {
  constexpr std::pair<core::Concern, Blocker> kCases[] = {
      {core::Concern::nodes, Blocker::affinity},
      {core::Concern::unschedulable, Blocker::taints},
      {core::Concern::volumes, Blocker::volumes},
  };
  for (const auto& [concern, blocker] : kCases) {
    Stage stage;
    stage.nodes(2, "4");
    test::add_filter<test::RefusingFilter>(stage.profile, "Own", concern, "not today");
    const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("1")),
                                     {{"Own", "not today", Code::unresolvable, 2, concern}});
    EXPECT_EQ(verdict.blocker, blocker);
    EXPECT_EQ(verdict.summary, "not today");
  }
}

TEST(Explain, aSelectorThatMatchesNoNodeWaits) {
  Stage stage;
  stage.nodes(12, "4");
  const auto verdict = stage.tried(stage.pod(test::pod("a").node_selector("gpu", "h100")),
                                   {{"NodeAffinity", "node(s) didn't match", Code::unresolvable, 12,
                                     core::Concern::node_affinity}});
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::affinity);
  EXPECT_EQ(verdict.summary, "no node has label gpu=h100 (0 of 12)");
  EXPECT_EQ(verdict.need, kNothing);
}

TEST(Explain, aRefusalOnEveryNodeSpeaksForItself) {
  Stage stage;
  stage.nodes(2, "4");
  test::add_filter<test::RefusingFilter>(stage.profile, "VolumeBinding", core::Concern::volumes,
                                         "persistentvolumeclaim \"data\" not found");
  const auto verdict = stage.tried(stage.pod(test::pod("a").claim("data")),
                                   {{"VolumeBinding", "persistentvolumeclaim \"data\" not found",
                                     Code::unresolvable, 2, core::Concern::volumes}});
  EXPECT_EQ(verdict.blocker, Blocker::volumes);
  EXPECT_EQ(verdict.summary, "persistentvolumeclaim \"data\" not found");
}

TEST(Explain, aGroupThatOnlyItsDomainKeepsBackIsBlockedByTopology) {
  Stage stage;
  for (const auto& [name, rack] : {std::pair{"n1", "r1"}, {"n2", "r1"}, {"n3", "r2"}}) {
    stage.cluster.set_node(test::node(name).cpu("4").label("rack", rack));
  }
  stage.pod(test::pod("busy").cpu("2").on("n2"));
  const auto group = stage.gang(2, 2, test::pod("m").cpu("3"), "rack");
  const core::PodId first = *stage.groups[group].pending.begin();
  auto attempt = stage.refused(first, {kNoCpu}, 1);
  attempt.placements = {{"rack", "r1", 1, 2, {kNoCpu}}, {"rack", "r2", 1, 2, {kNoCpu}}};
  stage.attempts[first] = attempt;
  const auto verdict = explain_group(stage.sources(), group);
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::topology);
  EXPECT_EQ(verdict.summary,
            "needs 2 pods in one domain of rack; the best of 2 domains, r1, holds 1, though the "
            "nodes together have the room");
  ASSERT_EQ(verdict.domains.size(), 2U);
  EXPECT_EQ(verdict.domains[0].value, "r1");
  EXPECT_EQ(verdict.have[0], (Amount{"members", "1"}));
  ASSERT_EQ(verdict.nodes.size(), 1U);
  EXPECT_EQ(verdict.nodes[0].count, 6U);  // of both domains
}

TEST(Explain, aGroupLargerThanEveryDomainIsImpossible) {
  Stage stage;
  for (const auto& [name, rack] : {std::pair{"n1", "r1"}, {"n2", "r2"}}) {
    stage.cluster.set_node(test::node(name).cpu("4").label("rack", rack));
  }
  const auto group = stage.gang(2, 2, test::pod("m").cpu("3"), "rack");
  const auto verdict = stage.tried(group, {kNoCpu}, 1);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::topology);
}

TEST(Explain, aTopologyKeyThatNoNodeHas) {
  Stage stage;
  stage.nodes(2, "4");
  const auto group = stage.gang(2, 2, test::pod("m").cpu("3"), "rack");
  const auto verdict = stage.tried(group, {}, 0);
  EXPECT_EQ(verdict.blocker, Blocker::topology);
  EXPECT_EQ(verdict.summary,
            "must stay in one domain of rack, but no node has that label (0 of 2)");
}

TEST(Explain, aSearchThatRanOutSaysSo) {
  Stage stage;
  stage.nodes(2, "4");
  const auto pod = stage.pod(test::pod("a").cpu("2"));
  auto attempt = stage.refused(pod, {kNoCpu});
  attempt.search = core::Search::exhausted;
  stage.attempts[pod] = attempt;
  EXPECT_EQ(explain_pod(stage.sources(), pod).blocker, Blocker::budget);
}

TEST(Explain, saysThatTheBudgetEndedOnce) {
  Stage stage;
  stage.nodes(2, "4");
  const auto pod = stage.pod(test::pod("a").cpu("3"));
  auto attempt = stage.refused(pod, {kNoCpu});
  attempt.search = core::Search::exhausted;
  attempt.message = "needs 4 members (the search budget ended before a proof); 2 Insufficient cpu.";
  stage.attempts[pod] = attempt;
  EXPECT_EQ(explain_pod(stage.sources(), pod).summary,
            "the search for a placement ended with its budget, neither found nor ruled out; needs "
            "4 members; 2 Insufficient cpu");
}

TEST(Explain, podSlotsAreNotCountedInPodSlots) {
  Stage stage;
  stage.cluster.set_node(test::node("n1").pods("1"));
  stage.pod(test::pod("busy").on("n1"));
  stage.cluster.set_node(test::node("n2").pods("2"));
  stage.pod(test::pod("too").on("n2"));
  const auto verdict = stage.tried(stage.gang(2, 2, test::pod("m")), {kNoCpu}, 1);
  EXPECT_EQ(verdict.summary,
            "needs 2 pods at once; 1 fits now (1 node has room), 1 more needs 1 pod slot on one "
            "node");
}

TEST(Explain, anErrorIsInvalid) {
  Stage stage;
  stage.nodes(1, "4");
  const auto pod = stage.pod(test::pod("a"));
  auto attempt = stage.refused(pod, {});
  attempt.code = Code::error;
  attempt.message = "priorities differ";
  stage.attempts[pod] = attempt;
  const auto verdict = explain_pod(stage.sources(), pod);
  EXPECT_EQ(verdict.state, State::invalid);
  EXPECT_EQ(verdict.blocker, Blocker::bad_request);
  EXPECT_EQ(verdict.summary, "priorities differ");
}

TEST(Explain, aClusterWithoutNodesHasNoCapacity) {
  Stage stage;
  const auto verdict = stage.tried(stage.pod(test::pod("a").cpu("1")), {});
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
  EXPECT_EQ(verdict.summary, "the cluster has no nodes");
}

TEST(Explain, aPlacedPodRuns) {
  Stage stage;
  stage.nodes(1, "4");
  const auto verdict = explain_pod(stage.sources(), stage.pod(test::pod("a").on("n1")));
  EXPECT_EQ(verdict.state, State::running);
  EXPECT_EQ(verdict.blocker, Blocker::none);
  EXPECT_EQ(verdict.summary, "is on node n1");
}

TEST(Explain, aPodOfAnotherSchedulerIsLeftAlone) {
  Stage stage;
  const auto verdict = explain_pod(stage.sources(), stage.pod(test::pod("a").scheduler("other")));
  EXPECT_EQ(verdict.blocker, Blocker::none);
  EXPECT_EQ(verdict.summary, "belongs to scheduler 'other', which Tutti leaves alone");
}

TEST(Explain, aMemberGetsItsGroupsVerdictUnderItsOwnName) {
  Stage stage;
  const auto group = stage.gang(3, 2, test::pod("m"));
  const auto verdict = explain_pod(stage.sources(), *stage.groups[group].pending.begin());
  EXPECT_EQ(verdict.object.kind, "Pod");
  EXPECT_EQ(verdict.object.name, "g-0");
  EXPECT_EQ(verdict.state, State::held);
  EXPECT_EQ(verdict.summary, "2 of 3 members of PodGroup t/g exist; 1 more pod is needed");
}

TEST(Explain, aGangAboveItsMinimumRunsAndSaysWhatWaits) {
  Stage stage;
  stage.nodes(1, "4");
  const auto group = stage.gang(1, 1, test::pod("m").cpu("3"));
  stage.groups.add_pod(group, stage.pod(test::pod("first").cpu("3").group("g").on("n1")),
                       Membership::assigned);
  const auto verdict = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(verdict.state, State::running);
  EXPECT_EQ(verdict.blocker, Blocker::none);
  EXPECT_EQ(
      verdict.summary,
      "1 of 2 pods are on nodes, which is enough; 1 more waits: capacity: needs 1 more pod of "
      "3 cpu; none fits now (the most that is free on one node is 1 cpu)");
}

TEST(Explain, whatWasNotTriedWaitsForItsTurn) {
  Stage stage;
  stage.nodes(1, "4");
  const auto verdict = explain_pod(stage.sources(), stage.pod(test::pod("a")));
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.summary, "waits for its turn; it was not tried yet");
}

TEST(Explain, aNominatedPodIsPreempting) {
  Stage stage;
  stage.nodes(1, "4");
  stage.pod(test::pod("busy").cpu("3").on("n1"));
  auto pod = std::make_shared<model::Pod>(*test::pod("a").cpu("2").build());
  pod->status.nominated_node = "n1";
  const auto verdict = stage.tried(stage.cluster.set_pod(pod), {kNoCpu});
  EXPECT_EQ(verdict.state, State::preempting);
  EXPECT_TRUE(verdict.summary.ends_with("; room is being made on node n1")) << verdict.summary;
}

TEST(Explain, aGangIsToldOfEveryNodeThatIsBeingEmptied) {
  Stage stage;
  stage.nodes(3, "4");
  for (const char* node : {"n1", "n2"}) {
    auto leaving = std::make_shared<model::Pod>(
        *test::pod(std::string("busy-") + node).cpu("3").on(node).build());
    leaving->meta.deletion = Instant{};
    stage.cluster.set_pod(leaving);
  }
  const auto group = stage.gang(3, 3, test::pod("m").cpu("2"));
  std::size_t next = 1;
  for (const core::PodId pod : stage.groups[group].pending) {
    auto waits = std::make_shared<model::Pod>(*stage.cluster.pod(pod).object);
    waits->status.nominated_node = "n" + std::to_string(next++);
    stage.cluster.set_pod(waits);
  }
  const auto verdict = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(verdict.state, State::preempting);
  EXPECT_TRUE(verdict.summary.ends_with("; room is being made on 2 nodes: n1, n2"))
      << verdict.summary;
}

TEST(Explain, roomThatIsKeptForAMemberIsItsOwn) {
  Stage stage;
  stage.nodes(2, "4");
  stage.pod(test::pod("victim").cpu("4").on("n1"));
  const auto group = stage.gang(2, 2, test::pod("m").cpu("3"));
  const auto& waiting = stage.groups[group].pending;
  stage.cluster.hold(*waiting.begin(), {1});
  stage.cluster.hold(*waiting.rbegin(), {0});
  const auto verdict = stage.tried(group, {kNoCpu}, 1);
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
  EXPECT_EQ(
      verdict.summary,
      "needs 2 pods of 3 cpu at once; 1 fits now (1 node has room), 1 more needs 3 cpu on one "
      "node");
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"members", "1"}, {"cpu", "4"}}));
}

TEST(Explain, parentsThatFormACycleAreInvalid) {
  Stage stage;
  for (const auto& [name, parent] : {std::pair{"one", "two"}, {"two", "one"}}) {
    auto made = std::make_shared<model::CompositePodGroup>();
    made->meta.ns = "t";
    made->meta.name = name;
    made->parent = parent;
    stage.groups.set(std::shared_ptr<const model::CompositePodGroup>(made));
  }
  EXPECT_EQ(explain_group(stage.sources(), {0}).state, State::invalid);
}

TEST(Explain, aGroupOfWhichNobodyWaitsRuns) {
  struct Case {
    int placed;
    Absent absent;
    std::string summary;
  };
  const std::vector<Case> cases = {
      {3, {}, "3 pods are on nodes"},
      {2, {}, "2 pods are on nodes, fewer than the 3 it needs"},
      {2, {1, 0, 0, ""}, "2 pods are on nodes, 1 has ended (1 Succeeded)"},
      {1, {1, 1, 0, ""}, "1 pod is on a node, 2 have ended (1 Succeeded, 1 Failed)"},
      {0, {2, 0, 0, ""}, "all 2 members have ended (2 Succeeded)"},
      {0, {0, 1, 0, ""}, "its one member has ended (1 Failed)"},
      {2,
       {1, 0, 1, "x"},
       "2 pods are on nodes, 1 has ended (1 Succeeded); 1 pod is left to scheduler 'x'"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.summary);
    Stage stage;
    stage.nodes(1, "4");
    const auto group = stage.gang(3, 0, test::pod("m"));
    for (int i = 0; i < each.placed; ++i) {
      const auto pod = stage.pod(test::pod("p" + std::to_string(i)).group("g").on("n1"));
      stage.groups.add_pod(group, pod, Membership::assigned);
    }
    auto sources = stage.sources();
    sources.absent = [&](const core::Group&) { return each.absent; };
    const auto verdict = explain_group(sources, group);
    EXPECT_EQ(verdict.state, State::running);
    EXPECT_EQ(verdict.blocker, Blocker::none);
    EXPECT_EQ(verdict.summary, each.summary);
    EXPECT_EQ(finished(sources, group), each.placed == 0);
  }
}

TEST(Explain, aBindingThatFailedIsNotYetComplete) {
  Stage stage;
  stage.nodes(1, "4");
  const auto pod = stage.pod(test::pod("a"));
  auto attempt = stage.refused(pod, {});
  attempt.code = Code::error;
  attempt.message = "worded in any way";
  attempt.cause = core::Attempt::Cause::binding;
  attempt.binding_failure = "node n1 is gone";
  stage.attempts[pod] = attempt;
  const auto verdict = explain_pod(stage.sources(), pod);
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::incomplete);
  EXPECT_EQ(verdict.summary, "its binding fails: node n1 is gone");
}

TEST(Explain, namesTheMemberOfAGangThatIsLargerThanEveryNode) {
  Stage stage;
  stage.nodes(4, "4");
  const auto group = stage.gang(3, 2, test::pod("m").cpu("3"));
  const auto large = stage.pod(test::pod("large").cpu("9").group("g"));
  stage.groups.add_pod(group, large, Membership::pending);
  const auto verdict = stage.tried(group, {kNoCpu}, 2);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::bad_request);
  EXPECT_EQ(verdict.summary,
            "pod t/large needs 9 cpu on one node; the largest of 4 nodes has 4 cpu");
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"members", "3"}, {"cpu", "9"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"members", "2"}, {"cpu", "4"}}));
}

TEST(Explain, aMemberThatTheMinimumCanDoWithoutDoesNotMakeItImpossible) {
  Stage stage;
  stage.nodes(2, "4");
  stage.pod(test::pod("busy").cpu("4").on("n1"));
  const auto group = stage.gang(2, 2, test::pod("m").cpu("3"));
  stage.groups.add_pod(group, stage.pod(test::pod("large").cpu("9").group("g")),
                       Membership::pending);
  EXPECT_EQ(stage.tried(group, {kNoCpu}, 1).state, State::waiting);
}

TEST(Explain, gpusThatANodeHasAndCannotOfferAreUnhealthy) {
  Stage stage;
  auto node =
      std::make_shared<model::Node>(*test::node("n1").allocatable("nvidia.com/gpu", "6").build());
  test::put(node->capacity, "nvidia.com/gpu", test::quantity("8"));
  stage.cluster.set_node(node);
  const auto verdict = stage.tried(
      stage.pod(test::pod("a").request("nvidia.com/gpu", "8")),
      {{"NodeResourcesFit", "Insufficient gpu", Code::unresolvable, 1, core::Concern::resources}});
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.blocker, Blocker::device_health);
  EXPECT_EQ(verdict.summary,
            "needs 8 nvidia.com/gpu on one node; the largest of 1 node has 6 nvidia.com/gpu; 2 "
            "nvidia.com/gpu are unhealthy");
}

TEST(Explain, aCombinationThatNoNodeHasIsImpossible) {
  Stage stage;
  stage.cluster.set_node(test::node("n1").cpu("8").memory("2Gi"));
  stage.cluster.set_node(test::node("n2").cpu("2").memory("16Gi"));
  const auto verdict = stage.tried(
      stage.pod(test::pod("a").cpu("4").memory("8Gi")),
      {{"NodeResourcesFit", "Insufficient cpu", Code::unresolvable, 1, core::Concern::resources}});
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::bad_request);
  EXPECT_EQ(verdict.summary, "needs 4 cpu and 8Gi memory on one node, which none of 2 nodes has");
}

TEST(Explain, aBasicGroupNeedsEveryPod) {
  Stage stage;
  stage.nodes(2, "4");
  const auto group = stage.groups.set(test::pod_group("g").build());
  for (const char* node : {"n1", "n2"}) {
    stage.groups.add_pod(group, stage.pod(test::pod(node).cpu("3").group("g").on(node)),
                         Membership::assigned);
  }
  for (const char* name : {"a", "b"}) {
    stage.groups.add_pod(group, stage.pod(test::pod(name).cpu("3").group("g")),
                         Membership::pending);
  }
  const auto verdict = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(verdict.state, State::waiting);
  EXPECT_EQ(verdict.summary,
            "needs 2 more pods of 3 cpu; none fits now (the most that is free on one node is 1 "
            "cpu)");
  EXPECT_EQ(verdict.need[0], (Amount{"members", "4"}));
  EXPECT_EQ(verdict.have[0], (Amount{"members", "2"}));
}

TEST(Explain, membersOfABasicGroupAreJudgedEachByItself) {
  Stage stage;
  stage.nodes(1, "4");
  const auto group = stage.groups.set(test::pod_group("g").build());
  for (const std::string cpu : {"8", "9"}) {
    stage.groups.add_pod(group, stage.pod(test::pod("large" + cpu).cpu(cpu).group("g")),
                         Membership::pending);
  }
  const auto hopeless = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(hopeless.state, State::impossible);
  EXPECT_EQ(hopeless.summary,
            "pod t/large8 needs 8 cpu on one node; the largest of 1 node has 4 cpu");
  EXPECT_EQ(hopeless.need, (std::vector<Amount>{{"members", "2"}, {"cpu", "8"}}));

  stage.groups.add_pod(group,
                       stage.pod(test::pod("choosy").cpu("1").group("g").node_selector("x", "y")),
                       Membership::pending);
  const auto waiting = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(waiting.state, State::waiting);
  EXPECT_EQ(waiting.summary, "pod t/choosy: no node has label x=y (0 of 1)");
}

TEST(Explain, aMemberShortWhereItAloneCanGo) {
  Stage stage;
  stage.nodes(1, "4");
  stage.cluster.set_node(test::node("n2").cpu("4").label("x", "y"));
  stage.pod(test::pod("busy").cpu("4").on("n2"));
  const auto group = stage.gang(2, 1, test::pod("m").cpu("3"));
  const auto choosy = stage.pod(test::pod("choosy").cpu("1").group("g").node_selector("x", "y"));
  stage.groups.add_pod(group, choosy, Membership::pending);
  const core::PodId first = *stage.groups[group].pending.begin();
  stage.attempts[first] = stage.refused(choosy, {kNoCpu}, 1);
  const auto verdict = explain_group(stage.sources(), group);
  EXPECT_EQ(verdict.blocker, Blocker::capacity);
  EXPECT_EQ(verdict.summary,
            "pod t/choosy needs 1 cpu on one node; 1 node could take it and the most that is free "
            "on one is 0 cpu");
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"members", "1"}, {"cpu", "0"}}));
}

TEST(Explain, roomOfABasicGroupIsScatteredIfItWouldDoForOnePod) {
  Stage stage;
  stage.nodes(2, "2");
  stage.cluster.set_node(test::node("full").cpu("4"));
  stage.pod(test::pod("busy").cpu("4").on("full"));
  const auto group = stage.groups.set(test::pod_group("g").build());
  for (const char* name : {"a", "b"}) {
    stage.groups.add_pod(group, stage.pod(test::pod(name).cpu("3").group("g")),
                         Membership::pending);
  }
  const auto verdict = stage.tried(group, {kNoCpu}, 0);
  EXPECT_EQ(verdict.blocker, Blocker::fragmentation);
  EXPECT_EQ(verdict.summary,
            "needs 2 pods of 3 cpu; none fits now (the most that is free on one node is 2 cpu); 4 "
            "cpu are free in all, enough for one, but not in that shape");
}

TEST(Explain, aMemberThatComesAloneIsJudgedByItself) {
  Stage stage;
  stage.nodes(1, "4");
  stage.pod(test::pod("busy").cpu("3").on("n1"));
  const auto group = stage.groups.set(test::pod_group("g").build());
  const auto large = stage.pod(test::pod("large").cpu("9").group("g"));
  stage.groups.add_pod(group, stage.pod(test::pod("small").cpu("2").group("g")),
                       Membership::pending);
  stage.groups.add_pod(group, large, Membership::pending);
  EXPECT_EQ(stage.tried(group, {kNoCpu}, 0).state, State::waiting);
  EXPECT_EQ(stage.tried(large, {kNoCpu}).state, State::impossible);
}

TEST(Explain, saysHowManyMembersFitBeforeAFilterStopsTheRest) {
  Stage stage;
  stage.nodes(2, "4");
  const core::ReasonCount ports{"NodePorts", "node(s) didn't have free ports", Code::unschedulable,
                                2, core::Concern::ports};
  const auto verdict = stage.tried(stage.gang(3, 3, test::pod("m").cpu("1")), {ports}, 2);
  EXPECT_EQ(verdict.blocker, Blocker::ports);
  EXPECT_EQ(verdict.summary,
            "2 of 3 members fit; no node takes the next: 2 of 2 nodes didn't have free ports");
}

TEST(Explain, namesTheMemberWhoseLabelNoNodeHas) {
  Stage stage;
  stage.nodes(4, "4");
  const auto group = stage.gang(2, 1, test::pod("m").cpu("1"));
  const auto picky = stage.pod(test::pod("picky").group("g").node_selector("gpu", "h100"));
  stage.groups.add_pod(group, picky, Membership::pending);
  stage.attempts[*stage.groups[group].pending.begin()] =
      stage.refused(picky,
                    {{"NodeAffinity", "node(s) didn't match", Code::unresolvable, 4,
                      core::Concern::node_affinity}},
                    1);
  EXPECT_EQ(explain_group(stage.sources(), group).summary,
            "pod t/picky: no node has label gpu=h100 (0 of 4)");
}

TEST(Explain, spellsOutANodeAffinityThatNoNodeMatches) {
  using Operator = model::Requirement::Operator;
  struct Case {
    std::vector<model::Requirement> wanted;
    std::string said;
  };
  const std::vector<Case> cases = {
      {{{"gpu", Operator::in, {"h100"}}}, "no node has label gpu=h100 (0 of 2)"},
      {{{"gpu", Operator::in, {"a", "b"}}}, "no node matches gpu in (a,b) (0 of 2)"},
      {{{"gpu", Operator::exists, {}}, {"spot", Operator::does_not_exist, {}}},
       "no node matches gpu and !spot (0 of 2)"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.said);
    Stage stage;
    stage.nodes(2, "4");
    stage.profile = {};
    test::add_filter<test::RefusingFilter>(stage.profile, "NodeAffinity",
                                           core::Concern::node_affinity, "");
    auto pod = std::make_shared<model::Pod>(*test::pod("a").build());
    auto spec = std::make_shared<model::PodSpec>(*pod->spec);
    spec->node_affinity.required = {{{each.wanted, {}}}};
    pod->spec = spec;
    const auto verdict = stage.tried(
        stage.cluster.set_pod(pod), {{"NodeAffinity", "node(s) didn't match", Code::unresolvable, 2,
                                      core::Concern::node_affinity}});
    EXPECT_EQ(verdict.summary, each.said);
  }
}

TEST(Explain, namesTheClaimThatIsNotBound) {
  Stage stage;
  stage.nodes(2, "4");
  test::add_filter<test::RefusingFilter>(stage.profile, "VolumeBinding", core::Concern::volumes,
                                         "pod has unbound immediate PersistentVolumeClaims");
  auto claim = std::make_shared<model::PersistentVolumeClaim>();
  claim->meta.ns = "t";
  claim->meta.name = "data";
  stage.cluster.set_object(claim);
  EXPECT_EQ(stage.tried(stage.pod(test::pod("a").claim("data")), {}).summary,
            "pod has unbound immediate PersistentVolumeClaims: data");
}

TEST(Explain, aGroupThatNoDomainCouldHoldIsImpossibleThoughSomeOfItRuns) {
  Stage stage;
  for (const auto& [name, rack] :
       {std::pair{"n1", "r1"}, {"n2", "r1"}, {"n3", "r2"}, {"n4", "r2"}}) {
    stage.cluster.set_node(test::node(name).cpu("4").label("rack", rack));
  }
  const auto group = stage.gang(3, 2, test::pod("m").cpu("3"), "rack");
  stage.groups.add_pod(group, stage.pod(test::pod("first").cpu("3").group("g").on("n1")),
                       Membership::assigned);
  const auto verdict = stage.tried(group, {kNoCpu}, 1);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.blocker, Blocker::topology);
}

TEST(Explain, aGangThatEmptyNodesCouldNotHoldIsImpossibleThoughSomeOfItRuns) {
  Stage stage;
  stage.nodes(1, "4");
  stage.cluster.set_node(test::node("m1").cpu("4"));
  const auto group = stage.gang(3, 2, test::pod("m").cpu("3"));
  stage.groups.add_pod(group, stage.pod(test::pod("first").cpu("3").group("g").on("n1")),
                       Membership::assigned);
  const auto verdict = stage.tried(group, {kNoCpu}, 1);
  EXPECT_EQ(verdict.state, State::impossible);
  EXPECT_EQ(verdict.summary,
            "needs 3 pods of 3 cpu at once, 9 cpu in all; even when empty, 2 nodes have 8 cpu");
}

}  // namespace
}  // namespace tutti::explain
