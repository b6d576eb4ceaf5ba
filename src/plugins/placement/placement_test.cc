#include <gtest/gtest.h>

#include "plugins/placement/pods_count.h"
#include "plugins/placement/topology_placement.h"
#include "support/build.h"
#include "support/device_build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::Code;
using core::GroupTable;
using Membership = core::GroupTable::Membership;
using test::node;
using test::pod;
using test::pod_group;

// Racks r2 (a, c) and r1 (b), and a node d outside any rack.
struct Racks {
  Racks() {
    cluster.set_node(node("a").label("rack", "r2"));
    cluster.set_node(node("b").label("rack", "r1"));
    cluster.set_node(node("c").label("rack", "r2"));
    cluster.set_node(node("d"));
    group = groups.set(pod_group("g").gang(2).topology("rack").build());
  }
  core::PodId running(const std::string& name, const std::string& on) {
    const auto id = cluster.set_pod(pod(name).group("g").on(on));
    groups.add_pod(group, id, Membership::assigned);
    return id;
  }
  // "r1:b r2:ac"
  std::string placements() const { return text(generate()); }
  core::PlacementGeneratePlugin::Generated generate() const {
    return TopologyPlacementGenerator().generate(cluster, groups, group, cluster.nodes().live());
  }
  std::string text(const core::PlacementGeneratePlugin::Generated& generated) const {
    std::string all;
    for (const auto& placement : generated.placements) {
      all += (all.empty() ? "" : " ") + placement.value + ":";
      placement.nodes.for_each_set([&](std::size_t i) {
        all += cluster.node_name(core::NodeId{static_cast<std::uint32_t>(i)});
      });
    }
    return all;
  }

  Cluster cluster;
  GroupTable groups;
  core::GroupId group;
};

TEST(TopologyPlacement, offersOneCandidatePerDomainInOrderOfValue) {
  const Racks racks;
  EXPECT_EQ(racks.placements(), "r1:b r2:ac");
  EXPECT_EQ(racks.generate().placements[0].key, "rack");
}

TEST(TopologyPlacement, offersAllNodesToAGroupWithoutAKey) {
  Racks racks;
  racks.groups.set(pod_group("g").gang(2).build());
  EXPECT_EQ(racks.placements(), ":abcd");
}

TEST(TopologyPlacement, staysInsideTheEnclosingPlacement) {
  const Racks racks;
  Bitset within(racks.cluster.nodes().slots());
  within.set(racks.cluster.nodes().find("c")->index);
  within.set(racks.cluster.nodes().find("d")->index);
  EXPECT_EQ(racks.text(TopologyPlacementGenerator().generate(racks.cluster, racks.groups,
                                                             racks.group, within)),
            "r2:c");
}

TEST(TopologyPlacement, isPinnedByMembersThatRun) {
  Racks racks;
  racks.running("one", "a");
  racks.running("two", "c");
  EXPECT_EQ(racks.placements(), "r2:ac");
}

TEST(TopologyPlacement, offersDomainsThatOnlyDevicesKnow) {
  Racks racks;
  racks.groups.set(pod_group("g").gang(2).topology("gpu.example.com/clique").build());
  EXPECT_EQ(racks.generate().verdict.reason,
            "no node belongs to a domain of gpu.example.com/clique");
  const auto publish = [&](const std::string& node, const std::vector<std::string>& cliques) {
    std::vector<model::Device> devices;
    for (const auto& clique : cliques) {
      devices.push_back(
          test::device("gpu-" + std::to_string(devices.size())).attribute("clique", clique));
    }
    racks.cluster.set_object(test::slice(node, node, node, std::move(devices)));
  };
  publish("b", {"c1", "c2"});
  EXPECT_EQ(racks.placements(), "c1:b c2:b");
  publish("a", {"c1", "c1"});
  publish("d", {"c1"});
  publish("c", {"c2"});
  EXPECT_EQ(racks.placements(), "c1:abd c2:bc");
}

TEST(TopologyPlacement, retriesWhenDevicesArePublishedNotWhenTheyAreClaimed) {
  const TopologyPlacementGenerator plugin;
  const auto worth = [&](const model::Object& object) {
    const core::ClusterEvent event{
        .kinds = core::EventKind::devices, .node = {}, .pod = nullptr, .object = &object};
    return has(plugin.wakes_on(), event.kinds) &&
           plugin.worth_retrying(core::Cluster(), model::Pod(), event);
  };
  EXPECT_TRUE(worth(model::ResourceSlice()));
  EXPECT_FALSE(worth(model::ResourceClaim()));
}

TEST(TopologyPlacement, isUnschedulableWhenNoNodeHasTheKey) {
  Racks racks;
  racks.groups.set(pod_group("g").gang(2).topology("row").build());
  EXPECT_EQ(racks.generate().verdict.code, Code::unschedulable);
  EXPECT_TRUE(racks.generate().placements.empty());
}

TEST(TopologyPlacement, isAnErrorWhenRunningMembersDisagreeOrAreNowhere) {
  struct Case {
    std::string_view name;
    std::string first, second;
    std::string_view reason;
  };
  const Case cases[] = {
      {"two racks", "a", "b", "scheduled member two is in rack=r1 and others in r2"},
      {"no rack", "a", "d", "scheduled member two is on node d without label rack"},
      {"unknown node", "a", "gone", "scheduled member two is on a node that is not known"},
  };
  for (const auto& [name, first, second, reason] : cases) {
    SCOPED_TRACE(name);
    Racks racks;
    racks.running("one", first);
    racks.running("two", second);
    EXPECT_EQ(racks.generate().verdict.code, Code::error);
    EXPECT_EQ(racks.generate().verdict.reason, reason);
  }
}

TEST(PodsCount, countsRunningAndProposedMembersOnce) {
  Racks racks;
  racks.running("one", "a");
  const auto assumed = racks.cluster.set_pod(pod("two").group("g"));
  const auto fresh = racks.cluster.set_pod(pod("three").group("g"));
  racks.groups.add_pod(racks.group, assumed, Membership::assumed);
  racks.groups.add_pod(racks.group, fresh, Membership::pending);
  const core::ProposedPod proposed[] = {{assumed, {}}, {fresh, {}}};
  const PodGroupPodsCount plugin;
  EXPECT_EQ(plugin.score(racks.cluster, racks.groups, racks.group, {}, proposed), 3);
  EXPECT_EQ(plugin.foresee(racks.cluster, racks.groups, racks.group, {}, fresh, 5), 7);
  EXPECT_EQ(plugin.normalize(3, 4), 75);
  EXPECT_EQ(plugin.normalize(2, 3), 66);
  EXPECT_EQ(plugin.normalize(3, 3), 100);
  EXPECT_EQ(plugin.normalize(0, 0), 0);
}

}  // namespace
}  // namespace tutti::plugins
