#include "plugins/fit/fit_filter.h"

#include <gtest/gtest.h>

#include "plugins/fit/resources_fit.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::Code;
using core::NodeId;
using test::node;
using test::pod;

std::unique_ptr<core::FilterEvaluator> prepare(const Cluster& cluster, core::PodId id,
                                               core::FitArgs args = {}) {
  return ResourcesFit(std::move(args)).prepare_filter(cluster, cluster.class_of(id)).evaluator;
}

TEST(ResourcesFit, comparesTheRequestWithWhatIsFree) {
  struct Case {
    std::string_view name;
    std::string_view used_cpu, wanted_cpu;
    std::string_view used_memory, wanted_memory;
    std::vector<std::string> reasons;
    Code code;
  };
  const Case cases[] = {
      {"an empty node", "0", "4", "0", "32Gi", {}, Code::success},
      {"exactly what is free", "3", "1", "31Gi", "1Gi", {}, Code::success},
      {"one millicore too many",
       "3001m",
       "1",
       "0",
       "1Gi",
       {"Insufficient cpu"},
       Code::unschedulable},
      {"both short",
       "4",
       "1",
       "32Gi",
       "1",
       {"Insufficient cpu", "Insufficient memory"},
       Code::unschedulable},
      {"more than the node ever has",
       "0",
       "5",
       "0",
       "1Gi",
       {"Insufficient cpu"},
       Code::unresolvable},
      {"a pod that asks for nothing on a full node", "4", "0", "32Gi", "0", {}, Code::success},
      {"a pod that asks for nothing on an over-committed node",
       "9",
       "0",
       "64Gi",
       "0",
       {},
       Code::success},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n"));
    cluster.set_pod(pod("there").cpu(c.used_cpu).memory(c.used_memory).on("n"));
    const auto id = cluster.set_pod(pod("new").cpu(c.wanted_cpu).memory(c.wanted_memory));
    const auto filter = prepare(cluster, id);
    EXPECT_EQ(filter->accepts(on), c.reasons.empty());
    std::vector<std::string> reasons;
    for (const auto& verdict : filter->explain(on)) {
      reasons.push_back(verdict.reason);
      EXPECT_EQ(verdict.code, c.code);
      EXPECT_EQ(verdict.plugin, ResourcesFit::kName);
    }
    EXPECT_EQ(reasons, c.reasons);
  }
}

TEST(ResourcesFit, countsPodSlots) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").pods("1"));
  const auto id = cluster.set_pod(pod("new"));
  const auto filter = prepare(cluster, id);
  EXPECT_TRUE(filter->accepts(on));
  cluster.set_pod(pod("there").on("n"));
  EXPECT_FALSE(filter->accepts(on));
  ASSERT_EQ(filter->explain(on).size(), 1U);
  EXPECT_EQ(filter->explain(on)[0].reason, "Too many pods");
  EXPECT_EQ(filter->explain(on)[0].code, Code::unschedulable);
}

TEST(ResourcesFit, looksAtExtendedResourcesUnlessToldToIgnoreThem) {
  struct Case {
    std::string_view name;
    core::FitArgs args;
    bool accepted;
  };
  core::FitArgs by_name;
  by_name.ignored_resources = {"example.com/gpu"};
  core::FitArgs by_group;
  by_group.ignored_groups = {"example.com"};
  core::FitArgs other;
  other.ignored_resources = {"cpu", "example.org/gpu"};
  const Case cases[] = {{"looked at", {}, false},
                        {"ignored by name", by_name, true},
                        {"ignored by group", by_group, true},
                        {"another one ignored", other, false}};
  for (const auto& [name, args, accepted] : cases) {
    SCOPED_TRACE(name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n"));
    const auto id = cluster.set_pod(pod("new").request("example.com/gpu", "1"));
    EXPECT_EQ(prepare(cluster, id, args)->accepts(on), accepted);
  }
}

TEST(ResourcesFit, neverIgnoresCpu) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").cpu("1"));
  const auto id = cluster.set_pod(pod("new").cpu("2"));
  core::FitArgs args;
  args.ignored_resources = {"cpu"};
  EXPECT_FALSE(prepare(cluster, id, args)->accepts(on));
}

TEST(ResourcesFit, clearsTheSameNodesInOneSweepAsOneByOne) {
  // Huge figures on both sides: a difference that overflows must not look like room.
  constexpr std::string_view kMemory[] = {"0", "1Gi", "64Gi", "9E", "9223372036854775807"};
  Cluster cluster;
  for (int i = 0; i < 200; ++i) {
    const auto name = "n" + std::to_string(i);
    cluster.set_node(node(name).cpu(std::to_string(i % 7)).memory(kMemory[i % 5]));
    cluster.set_pod(
        pod("p" + name).cpu(std::to_string(i % 5)).memory(kMemory[(i / 5) % 5]).on(name));
  }
  cluster.remove_node("n17");
  for (const auto memory : kMemory) {
    for (const auto cpu : {"0", "1", "3"}) {
      SCOPED_TRACE(std::string(memory) + " " + cpu);
      const auto id = cluster.set_pod(pod("new").cpu(cpu).memory(memory));
      const auto filter = prepare(cluster, id);
      Bitset nodes = cluster.nodes().live();
      filter->filter(nodes);
      cluster.nodes().live().for_each_set([&](std::size_t i) {
        EXPECT_EQ(nodes.test(i), filter->accepts(NodeId{static_cast<std::uint32_t>(i)})) << i;
      });
      EXPECT_FALSE(nodes.test(17));
    }
  }
}

TEST(ResourcesFit, retriesOnlyWhenTheNodeOfTheEventHasRoom) {
  Cluster cluster;
  const NodeId small = cluster.set_node(node("small").cpu("1"));
  const NodeId large = cluster.set_node(node("large").cpu("8"));
  const auto id = cluster.set_pod(pod("new").cpu("2"));
  const ResourcesFit fit({});
  const auto& rejected = *cluster.pod(id).object;
  const auto event = [](NodeId on) {
    return core::ClusterEvent{core::EventKind::pod_removed, on, nullptr, nullptr};
  };
  EXPECT_FALSE(fit.worth_retrying(cluster, rejected, event(small)));
  EXPECT_TRUE(fit.worth_retrying(cluster, rejected, event(large)));
  EXPECT_TRUE(fit.worth_retrying(cluster, rejected, event(NodeId{})));
}

}  // namespace
}  // namespace tutti::plugins
