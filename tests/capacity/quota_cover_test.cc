// Quota against machines.
#include "capacity/quota_cover.h"

#include <gtest/gtest.h>

#include <string>

#include "capacity/stage.h"

namespace tutti {
namespace {

using capacity::QuotaCover;
using test::CapacityStage;
using test::kGpu;

void add_flavor(CapacityStage& stage, const std::string& name) {
  auto made = std::make_shared<model::ResourceFlavor>();
  made->meta.name = name;
  made->node_labels = {{"pool", name}};
  stage.add(std::shared_ptr<const model::ResourceFlavor>(std::move(made)));
}

void add_queue(CapacityStage& stage, const std::string& name, const std::string& flavor,
               std::int64_t gpus) {
  auto made = std::make_shared<model::ClusterQueue>();
  made->meta.name = name;
  made->spec.groups = {{.covered = {kGpu},
                        .flavors = {{flavor,
                                     {{.resource = kGpu,
                                       .nominal = Quantity::from_units(gpus),
                                       .borrowing_limit = {},
                                       .lending_limit = {}}}}}}};
  stage.add(std::shared_ptr<const model::ClusterQueue>(std::move(made)));
}

test::NodeBuilder gpu_node(const std::string& name, const std::string& pool) {
  return test::node(name).cpu("16").allocatable(kGpu, "8").label("pool", pool);
}

TEST(QuotaCover, isEmptyWithoutQueues) {
  CapacityStage stage;
  stage.add(gpu_node("n1", "a"));
  EXPECT_TRUE(capacity::quota_cover(stage.scheduler()).flavors.empty());
  EXPECT_TRUE(capacity::quota_cover(stage.scheduler()).uncovered.empty());
}

TEST(QuotaCover, holdsPromisesAgainstTheNodesOfTheFlavor) {
  CapacityStage stage;
  add_flavor(stage, "a");
  add_flavor(stage, "b");
  add_queue(stage, "ml", "a", 12);
  add_queue(stage, "web", "a", 6);
  add_queue(stage, "lab", "b", 4);
  stage.add(gpu_node("a1", "a")).add(gpu_node("b1", "b").unschedulable()).add(gpu_node("c1", "c"));
  const QuotaCover cover = capacity::quota_cover(stage.scheduler());
  ASSERT_EQ(cover.flavors.size(), 2U);
  const auto& a = cover.flavors[0];
  EXPECT_EQ(a.flavor, "a");
  EXPECT_EQ(a.nodes, 1U);
  EXPECT_EQ(a.nominal, 18);
  EXPECT_EQ(a.machines, 8);
  EXPECT_EQ(a.quota_without_machines(), 10);
  EXPECT_EQ(a.machines_without_quota(), 0);
  ASSERT_EQ(a.promises.size(), 2U);
  EXPECT_EQ(a.promises[0].owner, "ClusterQueue ml");
  EXPECT_EQ(a.promises[0].unbacked, 4);
  EXPECT_EQ(a.promises[1].unbacked, 0);
  EXPECT_EQ(cover.flavors[1].machines_without_quota(), 4);
  // Nobody counts cpu, and the devices of c are nobody's.
  ASSERT_EQ(cover.uncovered.size(), 1U);
  EXPECT_EQ(cover.uncovered[0].resource, kGpu);
  EXPECT_EQ(cover.uncovered[0].machines, 8);
  EXPECT_EQ(cover.uncovered[0].nodes, std::vector<std::string>{"c1"});
}

}  // namespace
}  // namespace tutti
