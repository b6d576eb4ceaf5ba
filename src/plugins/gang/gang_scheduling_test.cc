#include "plugins/gang/gang_scheduling.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::Code;
using core::Feasibility;
using core::GroupTable;
using core::PodId;
using Membership = core::GroupTable::Membership;
using test::pod;
using test::pod_group;

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
  EXPECT_EQ(verdict.reason, "waiting for PodGroup \"g\" to appear");

  gang.groups.set(pod_group("g").gang(2).build());
  verdict = plugin.pre_enqueue(gang.cluster, gang.groups, gang.first);
  EXPECT_EQ(verdict.reason, "waiting for enough pods of PodGroup t/g: 1 of 2");

  gang.groups.add_pod(gang.group, gang.second, Membership::pending);
  EXPECT_TRUE(plugin.pre_enqueue(gang.cluster, gang.groups, gang.first).success());
}

TEST(GangScheduling, holdsMembersUntilTheGroupsAboveWereSeen) {
  Gang gang;
  gang.groups.set(pod_group("g").gang(1).parent("above").build());
  gang.groups.add_pod(gang.group, gang.first, Membership::pending);
  EXPECT_EQ(GangScheduling().pre_enqueue(gang.cluster, gang.groups, gang.first).reason,
            "waiting for the groups above PodGroup t/g to appear");
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

}  // namespace
}  // namespace tutti::plugins
