#include <gtest/gtest.h>

#include "plugins/gang/default_binder.h"
#include "plugins/gang/gang_scheduling.h"
#include "plugins/gang/priority_sort.h"
#include "plugins/gang/scheduling_gates.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::Code;
using core::Feasibility;
using core::GroupTable;
using core::PodId;
using Membership = core::GroupTable::Membership;
using test::node;
using test::pod;
using test::pod_group;

TEST(SchedulingGates, holdsAPodUntilItsGatesAreGone) {
  Cluster cluster;
  const auto gated = cluster.set_pod(pod("gated").gate("a").gate("b"));
  const auto open = cluster.set_pod(pod("open"));
  const SchedulingGates plugin;
  const auto verdict = plugin.pre_enqueue(cluster, {}, gated);
  EXPECT_EQ(verdict.code, Code::unresolvable);
  EXPECT_EQ(verdict.reason, "waiting for scheduling gates: [a b]");
  EXPECT_TRUE(plugin.pre_enqueue(cluster, {}, open).success());
}

TEST(SchedulingGates, retriesWhenTheLastGateOfThatPodGoes) {
  const auto gated = pod("p").gate("a").build();
  const auto fewer = pod("p").build();
  const auto other = pod("other").build();
  const auto event = [](const auto& about) {
    return core::ClusterEvent{core::EventKind::pod_updated, {}, about.get(), nullptr};
  };
  EXPECT_FALSE(SchedulingGates().worth_retrying({}, *gated, event(gated)));
  EXPECT_TRUE(SchedulingGates().worth_retrying({}, *gated, event(fewer)));
  EXPECT_FALSE(SchedulingGates().worth_retrying({}, *gated, event(other)));
}

TEST(PrioritySort, ordersByPriorityThenWaitThenName) {
  struct Case {
    std::string_view name;
    core::QueueRank first, second;
  };
  const Instant early{Millis(1)};
  const Instant late{Millis(2)};
  const Case cases[] = {
      {"priority before wait", {5, late, "b"}, {1, early, "a"}},
      {"negative priorities", {-1, late, "b"}, {-2, early, "a"}},
      {"wait before name", {1, early, "b"}, {1, late, "a"}},
      {"name last", {1, early, "a"}, {1, early, "b"}},
  };
  for (const auto& [name, first, second] : cases) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(PrioritySort().before(first, second));
    EXPECT_FALSE(PrioritySort().before(second, first));
    EXPECT_FALSE(PrioritySort().before(first, first));
  }
}

// A gang of two whose object may be seen and whose members arrive one by one.
struct Gang {
  Cluster cluster;
  GroupTable groups;
  PodId first = cluster.set_pod(pod("first").group("g"));
  PodId second = cluster.set_pod(pod("second").group("g"));
  core::GroupId group = groups.intern("t", "g", false);
};

TEST(GangScheduling, holdsMembersUntilGroupAndQuorumExist) {
  Gang gang;
  const GangScheduling plugin;
  gang.groups.add_pod(gang.group, gang.first, Membership::pending);
  auto verdict = plugin.pre_enqueue(gang.cluster, gang.groups, gang.first);
  EXPECT_EQ(verdict.code, Code::unresolvable);
  EXPECT_EQ(verdict.reason, "waiting for pod group \"g\" to appear");

  gang.groups.set(pod_group("g").gang(2).build());
  verdict = plugin.pre_enqueue(gang.cluster, gang.groups, gang.first);
  EXPECT_EQ(verdict.reason, "waiting for enough pods of pod group \"g\": 1 of 2");

  gang.groups.add_pod(gang.group, gang.second, Membership::pending);
  EXPECT_TRUE(plugin.pre_enqueue(gang.cluster, gang.groups, gang.first).success());
}

TEST(GangScheduling, holdsMembersUntilTheGroupsAboveWereSeen) {
  Gang gang;
  gang.groups.set(pod_group("g").gang(1).parent("above").build());
  gang.groups.add_pod(gang.group, gang.first, Membership::pending);
  EXPECT_EQ(GangScheduling().pre_enqueue(gang.cluster, gang.groups, gang.first).reason,
            "waiting for the groups above pod group \"g\" to appear");
}

TEST(GangScheduling, leavesLonePodsAlone) {
  Cluster cluster;
  const auto lone = cluster.set_pod(pod("lone"));
  EXPECT_TRUE(GangScheduling().pre_enqueue(cluster, {}, lone).success());
  EXPECT_TRUE(GangScheduling().permit(cluster, {}, lone, {}).success());
}

TEST(GangScheduling, judgesWhetherTheMinimumCanStillBeReached) {
  struct Case {
    std::string_view name;
    std::int32_t minimum;
    std::size_t scheduled, remaining;
    Feasibility expected;
  };
  constexpr Case kCases[] = {
      {"enough to try", 3, 0, 3, Feasibility::undecided},
      {"one too few", 3, 1, 1, Feasibility::infeasible},
      {"reached", 3, 3, 0, Feasibility::feasible},
      {"reached with members to spare", 3, 3, 5, Feasibility::feasible},
      {"all tried and short", 3, 2, 0, Feasibility::infeasible},
  };
  for (const auto& [name, minimum, scheduled, remaining, expected] : kCases) {
    SCOPED_TRACE(name);
    core::Group group;
    group.pod_group = pod_group("g").gang(minimum).build();
    EXPECT_EQ(GangScheduling().feasible(group, scheduled, remaining), expected);
  }
}

TEST(GangScheduling, wantsOneMemberOfABasicGroup) {
  core::Group group;
  group.pod_group = pod_group("g").build();
  EXPECT_EQ(GangScheduling().feasible(group, 0, 2), Feasibility::undecided);
  EXPECT_EQ(GangScheduling().feasible(group, 1, 1), Feasibility::feasible);
}

TEST(GangScheduling, permitsBindingOnceTheMinimumIsScheduled) {
  Gang gang;
  gang.groups.set(pod_group("g").gang(2).build());
  const GangScheduling plugin;
  gang.groups.add_pod(gang.group, gang.first, Membership::assumed);
  gang.groups.add_pod(gang.group, gang.second, Membership::pending);
  EXPECT_EQ(plugin.permit(gang.cluster, gang.groups, gang.first, {}).code, Code::wait);
  gang.groups.remove_pod(gang.group, gang.second);
  gang.groups.add_pod(gang.group, gang.second, Membership::assigned);
  EXPECT_TRUE(plugin.permit(gang.cluster, gang.groups, gang.first, {}).success());
}

class RecordingPort final : public core::ClusterPort {
 public:
  void bind(const core::BindRequest& request) override { bound.push_back(request); }
  void evict(const core::PodReference&, const model::Condition&) override {}
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  std::vector<core::BindRequest> bound;
};

TEST(DefaultBinder, bindsThePodToTheNodeByName) {
  Cluster cluster;
  RecordingPort port;
  const auto on = cluster.set_node(node("n"));
  const auto id = cluster.set_pod(pod("p"));
  EXPECT_TRUE(DefaultBinder().bind(cluster, port, id, on).success());
  ASSERT_EQ(port.bound.size(), 1U);
  EXPECT_EQ(port.bound[0].node, "n");
  EXPECT_EQ(port.bound[0].pod.name, "p");
  EXPECT_EQ(port.bound[0].pod.uid, "pod-p");
}

}  // namespace
}  // namespace tutti::plugins
