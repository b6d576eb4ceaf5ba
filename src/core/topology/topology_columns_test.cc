#include "core/cluster/topology_columns.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/cluster/cluster.h"
#include "core/topology/domains.h"
#include "core/topology/level_tree.h"
#include "core/topology/topology_cache.h"
#include "devices/device_state.h"
#include "support/build.h"
#include "support/device_build.h"

namespace tutti::core {
namespace {

using test::node;

const std::string kClique = "gpu.example.com/clique";

model::Device gpu(const std::string& name, const std::string& clique) {
  auto made = test::device(name);
  if (!clique.empty()) made.attribute("clique", clique);
  return made;
}

// The node's GPUs, one of each of these cliques.
std::shared_ptr<model::ResourceSlice> gpus(const std::string& node,
                                           const std::vector<std::string>& cliques) {
  std::vector<model::Device> devices;
  for (const auto& clique : cliques) {
    devices.push_back(gpu("gpu-" + std::to_string(devices.size()), clique));
  }
  return test::slice("slice-" + node, node, node, std::move(devices));
}

class TopologyColumnsTest : public ::testing::Test {
 protected:
  std::string at(const std::string& name, const std::string& key = kClique) {
    return domain_at(cluster_, key, name).value_or("(none)");
  }
  std::vector<std::string> all_at(const std::string& name) {
    const DomainColumn& column = cluster_.group_domains(kClique);
    std::vector<std::string> values;
    for (const auto domain : column.domains_at(*cluster_.nodes().find(name))) {
      values.push_back(column.values[domain]);
    }
    return values;
  }
  void unplug(const std::string& node) {
    cluster_.remove_object({model::Kind::resource_slice, {}, "slice-" + node, {}});
  }
  void TearDown() override { EXPECT_EQ(cluster_.check_consistency(), ""); }

  Cluster cluster_;
};

TEST_F(TopologyColumnsTest, takeALabelBeforeWhatDevicesSay) {
  cluster_.set_node(node("n1").label(kClique, "by-label"));
  cluster_.set_node(node("n2"));
  for (const char* name : {"n1", "n2"}) cluster_.set_object(gpus(name, {"c1", "c1"}));
  EXPECT_EQ(at("n1"), "by-label");
  EXPECT_EQ(at("n2"), "c1");
  cluster_.set_node(node("n1"));
  EXPECT_EQ(at("n1"), "c1");
  cluster_.set_node(node("n2").label(kClique, "by-label"));
  EXPECT_EQ(at("n2"), "by-label");
}

TEST_F(TopologyColumnsTest, leaveToLabelsWhatLabelsDefine) {
  cluster_.set_node(node("n1"));
  cluster_.set_object(gpus("n1", {"c1"}));
  EXPECT_EQ(at("n1"), "c1");
  EXPECT_FALSE(cluster_.labels().domains(kClique).any());
}

TEST_F(TopologyColumnsTest, areTheLabelsColumnWhereNoAttributeIsCalledSo) {
  EXPECT_EQ(&cluster_.group_domains("rack"), &cluster_.labels().domains("rack"));
  for (const char* key : {"rack", "/rack", "rack/", ""}) EXPECT_FALSE(may_name_attribute(key));
  EXPECT_TRUE(may_name_attribute(kClique));
}

TEST_F(TopologyColumnsTest, followSlicesThatComeChangeAndGo) {
  cluster_.set_node(node("n1"));
  EXPECT_EQ(at("n1"), "(none)");
  cluster_.set_object(gpus("n1", {"c1"}));
  EXPECT_EQ(at("n1"), "c1");
  cluster_.set_object(gpus("n1", {"c2", "c2", ""}));
  EXPECT_EQ(at("n1"), "c2");
  unplug("n1");
  EXPECT_EQ(at("n1"), "(none)");
  EXPECT_FALSE(cluster_.group_domains(kClique).any());
}

TEST_F(TopologyColumnsTest, waitForPoolsToBeComplete) {
  cluster_.set_node(node("n1"));
  auto first = gpus("n1", {"c1"});
  first->slice_count = 2;
  cluster_.set_object(first);
  EXPECT_EQ(at("n1"), "(none)");
  auto second = test::slice("slice-b", "n1", "n1", {gpu("gpu-b", "c1")});
  second->slice_count = 2;
  cluster_.set_object(second);
  EXPECT_EQ(at("n1"), "c1");
}

TEST_F(TopologyColumnsTest, knowDevicesThatWereThereBeforeTheNode) {
  cluster_.set_object(gpus("n1", {"c1"}));
  EXPECT_FALSE(cluster_.group_domains(kClique).any());
  cluster_.set_node(node("n1"));
  EXPECT_EQ(at("n1"), "c1");
  cluster_.remove_node("n1");
  EXPECT_FALSE(cluster_.group_domains(kClique).any());
  cluster_.set_node(node("n2"));
  EXPECT_EQ(at("n2"), "(none)");
}

TEST_F(TopologyColumnsTest, putANodeIntoEveryDomainOfItsDevices) {
  const NodeId n1 = cluster_.set_node(node("n1"));
  const NodeId n2 = cluster_.set_node(node("n2"));
  cluster_.set_object(gpus("n1", {"c2", "c1", ""}));
  cluster_.set_object(gpus("n2", {"c1"}));
  const DomainColumn& column = cluster_.group_domains(kClique);
  EXPECT_EQ(all_at("n1"), (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(all_at("n2"), std::vector<std::string>{"c1"});
  EXPECT_EQ(at("n1"), "(none)") << "it is in no single one";
  EXPECT_TRUE(column.divided.contains(n1));
  EXPECT_FALSE(column.divided.contains(n2));
  const auto domains = domains_within(cluster_, kClique, cluster_.nodes().live());
  ASSERT_EQ(domains.size(), 2U);
  EXPECT_EQ(domains[0].nodes.count(), 2U);
  EXPECT_EQ(domains[1].nodes.count(), 1U);
  const auto& bounds = cluster_.devices().confinements().bounds(domains[1].confinement);
  EXPECT_EQ(bounds, (devices::Bounds{{kClique, "c2"}}));
  cluster_.set_object(gpus("n1", {"c2"}));
  EXPECT_EQ(at("n1"), "c2");
  EXPECT_TRUE(column.divided.empty());
  for (const auto& domain : domains_within(cluster_, kClique, cluster_.nodes().live())) {
    EXPECT_FALSE(domain.confinement.valid()) << "any device of the node is in its domain";
  }
}

TEST_F(TopologyColumnsTest, countDevicesThatSeveralNodesShare) {
  for (const char* name : {"n1", "n2"}) cluster_.set_node(node(name).label("rack", "r1"));
  cluster_.set_node(node("n3").label("rack", "r2"));
  auto fabric = test::slice("fabric", "fabric", "", {gpu("channel", "c1")});
  fabric->reach.kind = model::DeviceReach::Kind::selector;
  model::NodeSelectorTerm term;
  term.match_expressions.push_back({"rack", model::Requirement::Operator::in, {"r1"}});
  fabric->reach.selector = {term};
  cluster_.set_object(fabric);
  EXPECT_EQ(at("n1"), "c1");
  EXPECT_EQ(at("n3"), "(none)");
  cluster_.set_object(gpus("n2", {"c2"}));
  EXPECT_EQ(all_at("n2"), (std::vector<std::string>{"c1", "c2"}));
  cluster_.set_node(node("n3").label("rack", "r1"));
  EXPECT_EQ(at("n3"), "c1");
  cluster_.remove_object({model::Kind::resource_slice, {}, "fabric", {}});
  EXPECT_EQ(at("n1"), "(none)");
  EXPECT_EQ(at("n2"), "c2");
}

TEST_F(TopologyColumnsTest, neverJoinNodesByWhatIsInsideOfThem) {
  const std::string root = "resource.kubernetes.io/pcieRoot";
  for (const char* name : {"n1", "n2"}) {
    cluster_.set_node(node(name));
    cluster_.set_object(test::slice(
        name, name, name, {test::device("gpu").attribute(root, std::string("pci0000:15"))}));
  }
  EXPECT_EQ(at("n1", root), "n1/pci0000:15");
  EXPECT_EQ(at("n2", root), "n2/pci0000:15");
  EXPECT_EQ(device_value(root, "n2/pci0000:15"), "pci0000:15");
  EXPECT_EQ(device_value(kClique, "a/b"), "a/b");
}

TEST_F(TopologyColumnsTest, raiseTheVersionOfNodesWhenOneMoves) {
  cluster_.set_node(node("n1"));
  EXPECT_EQ(at("n1"), "(none)");
  const auto version = cluster_.versions().nodes;
  cluster_.set_object(test::slice("other", "other", "n1", {test::device("nic")}));
  EXPECT_EQ(cluster_.versions().nodes, version);
  cluster_.set_object(gpus("n1", {"c1"}));
  EXPECT_GT(cluster_.versions().nodes, version);
}

TEST_F(TopologyColumnsTest, growTreesOfLabelsAndAttributes) {
  TopologyCache memory;
  for (const char* name : {"n1", "n2", "n3"}) cluster_.set_node(node(name).label("block", "b"));
  const std::vector<std::string> keys = {"block", kClique};
  EXPECT_FALSE(memory.tree(cluster_, keys)->holds(0));
  cluster_.set_object(gpus("n1", {"c1"}));
  cluster_.set_object(gpus("n2", {"c2"}));
  const auto tree = memory.tree(cluster_, keys);
  EXPECT_TRUE(tree->holds(0));
  EXPECT_FALSE(tree->holds(2));
  EXPECT_EQ(tree->children(0, 0).size(), 2U);
}

TEST_F(TopologyColumnsTest, equalOnesBuiltFromScratchAfterAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Cluster cluster;
    const auto name = [&] { return "n" + std::to_string(random.below(4)); };
    const auto clique = [&] { return "c" + std::to_string(random.below(3)); };
    const auto any_slice = [&] {
      std::vector<std::string> cliques;
      while (random.below(3) > 0) cliques.push_back(random.below(4) == 0 ? "" : clique());
      auto made = gpus(name(), cliques);
      if (random.below(4) == 0) made->slice_count = 2;
      if (random.below(4) == 0) made->generation = 2;
      if (random.below(4) == 0) made->pool = "shared";
      if (random.below(6) == 0) made->reach.node = name();
      if (random.below(6) == 0) made->reach.kind = model::DeviceReach::Kind::all;
      return made;
    };
    for (int step = 0; step < 100; ++step) {
      switch (random.below(5)) {
        case 0:
          cluster.set_node(node(name()));
          break;
        case 1:
          cluster.set_node(node(name()).label(kClique, clique()));
          break;
        case 2:
          cluster.remove_node(name());
          break;
        case 3:
          cluster.remove_object({model::Kind::resource_slice, {}, "slice-" + name(), {}});
          break;
        default:
          cluster.set_object(any_slice());
      }
      if (step == 10) static_cast<void>(cluster.group_domains(kClique));
      ASSERT_EQ(cluster.check_consistency(), "") << "step " << step;
    }
  }
}

}  // namespace
}  // namespace tutti::core
