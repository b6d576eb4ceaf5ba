#include "explain/findings/slices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/build.h"

namespace tutti::explain {
namespace {

struct Host {
  std::string rack;  // empty: no label
  std::string block;
  int cpu = 0;
};

struct SliceCase {
  std::string name;
  std::vector<Host> hosts;
  std::size_t members = 0;
  std::size_t slice_size = 0;
  std::string within;  // the key of a domain that the whole must stay in
  std::size_t fitting = 0;
  bool too_large = false;
};

// Slices stay in one rack; each member asks for two cores.
Demand demand_of(core::Cluster& cluster, const SliceCase& scene) {
  Demand demand;
  core::PodId sample;
  for (std::size_t i = 0; i < scene.members; ++i) {
    sample = cluster.set_pod(test::pod("m" + std::to_string(i)).cpu("2").build());
  }
  demand.classes.push_back({sample, scene.members, nullptr});
  demand.missing = scene.members;
  demand.topology_key = scene.within;
  demand.slice_key = "rack";
  demand.slice_size = scene.slice_size;
  return demand;
}

TEST(Slices, areCountedInTheEmptyDomainsThatMayHoldThem) {
  const std::vector<SliceCase> cases = {
      {"a rack for each", {{"r1", "b1", 4}, {"r2", "b1", 4}}, 4, 2, "", 2, false},
      {"hosts of one rack add up", {{"r1", "b1", 2}, {"r1", "b1", 2}}, 2, 2, "", 1, false},
      {"hosts of different racks do not", {{"r1", "b1", 2}, {"r2", "b1", 2}}, 2, 2, "", 0, true},
      {"leftovers of racks do not add up", {{"r1", "b1", 6}, {"r2", "b1", 6}}, 6, 2, "", 2, true},
      {"hosts outside racks do not count", {{"r1", "b1", 4}, {"", "b1", 8}}, 4, 2, "", 1, true},
      {"in one block", {{"r1", "b1", 4}, {"r2", "b1", 4}}, 4, 2, "block", 2, false},
      {"in two blocks", {{"r1", "b1", 4}, {"r2", "b2", 4}}, 4, 2, "block", 1, true},
      {"a rack of two blocks is two", {{"r1", "b1", 2}, {"r1", "b2", 2}}, 2, 2, "block", 0, true},
      {"no racks at all may yet be labelled", {{"", "b1", 8}}, 2, 2, "", 0, false},
  };
  for (const SliceCase& scene : cases) {
    SCOPED_TRACE(scene.name);
    core::Cluster cluster;
    for (std::size_t i = 0; i < scene.hosts.size(); ++i) {
      const Host& host = scene.hosts[i];
      auto node = test::node("h" + std::to_string(i)).cpu(std::to_string(host.cpu)).pods("9");
      if (!host.rack.empty()) node.label("rack", host.rack);
      cluster.set_node(node.label("block", host.block));
    }
    cluster.set_pod(test::pod("busy").cpu("1").on("h0").build());
    const Demand demand = demand_of(cluster, scene);
    EXPECT_EQ(slices_fitting(cluster, demand), scene.fitting);
    EXPECT_EQ(slices_too_large(cluster, demand), scene.too_large);
  }
}

TEST(Slices, areNotTooLargeWhereThereAreNone) {
  core::Cluster cluster;
  cluster.set_node(test::node("h0").cpu("1").label("rack", "r1"));
  EXPECT_FALSE(slices_too_large(cluster, demand_of(cluster, {"", {}, 2, 0, "", 0, false})));
}

}  // namespace
}  // namespace tutti::explain
