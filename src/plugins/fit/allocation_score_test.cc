#include "plugins/fit/allocation_score.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "plugins/fit/balanced_allocation.h"
#include "plugins/fit/resources_fit.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::FitArgs;
using core::NodeId;
using test::node;
using test::pod;

std::unique_ptr<core::ScoreEvaluator> prepare(const core::ScorePlugin& plugin,
                                              const Cluster& cluster, core::PodId id) {
  return plugin.prepare_score(cluster, cluster.class_of(id)).evaluator;
}

TEST(AllocationScore, followsTheStrategy) {
  struct Case {
    std::string_view name;
    FitArgs::Strategy strategy;
    std::string_view used_cpu, used_memory;
    std::int64_t score;
  };
  // The node has 4 cpu and 32Gi; the pod asks for 1 cpu and 8Gi.
  constexpr auto kLeast = FitArgs::Strategy::least_allocated;
  constexpr auto kMost = FitArgs::Strategy::most_allocated;
  constexpr auto kRatio = FitArgs::Strategy::requested_to_capacity_ratio;
  const Case cases[] = {
      {"least on an empty node", kLeast, "0", "0", 75},
      {"least, mean of 50 and 25", kLeast, "1", "16Gi", 37},
      {"least, cpu over-committed", kLeast, "5", "0", 37},
      {"most on an empty node", kMost, "0", "0", 25},
      {"most, mean of 50 and 75", kMost, "1", "16Gi", 62},
      {"most, cpu over-committed counts as full", kMost, "5", "0", 62},
      {"ratio, mean of 75 and 75", kRatio, "0", "0", 75},
      {"ratio rounds 62.5 up", kRatio, "1", "0", 63},
      {"ratio leaves out a share of zero", kRatio, "3", "0", 75},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n"));
    cluster.set_pod(pod("there")
                        .with([&](model::PodSpec& spec) {
                          spec.pod_requests = {{"cpu", test::quantity(c.used_cpu)},
                                               {"memory", test::quantity(c.used_memory)}};
                        })
                        .on("n"));
    const auto id = cluster.set_pod(pod("new").cpu("1").memory("8Gi"));
    FitArgs args;
    args.strategy = c.strategy;
    args.shape = {{0, 10}, {100, 0}};
    EXPECT_EQ(prepare(ResourcesFit(args), cluster, id)->score(on), c.score);
  }
}

TEST(AllocationScore, countsDefaultsForPodsWithoutRequests) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").cpu("1").memory("1000Mi"));
  const auto id = cluster.set_pod(pod("new"));
  EXPECT_EQ(prepare(ResourcesFit({}), cluster, id)->score(on), (90 + 80) / 2);
}

TEST(AllocationScore, weighsResourcesAndSkipsOnesThePodDoesNotAskFor) {
  FitArgs args;
  args.strategy = FitArgs::Strategy::most_allocated;
  args.resources = {{"cpu", 1}, {"example.com/gpu", 3}, {"example.com/absent", 50}};
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").allocatable("example.com/gpu", "8"));
  const auto with = cluster.set_pod(pod("a").cpu("1").request("example.com/gpu", "4"));
  const auto without = cluster.set_pod(pod("b").cpu("1"));
  EXPECT_EQ(prepare(ResourcesFit(args), cluster, with)->score(on), (25 + 3 * 50) / 4);
  EXPECT_EQ(prepare(ResourcesFit(args), cluster, without)->score(on), 25);
}

TEST(UtilizationCurve, isLinearBetweenItsCornersAndFlatOutside) {
  const core::ShapePoint points[] = {{20, 0}, {40, 10}, {80, 5}};
  const UtilizationCurve curve = utilization_curve(points);
  const std::pair<std::size_t, int> expected[] = {{0, 0},   {20, 0},  {30, 50}, {40, 100},
                                                  {60, 75}, {80, 50}, {100, 50}};
  for (const auto& [at, score] : expected) EXPECT_EQ(curve[at], score) << at;
}

TEST(BalancedAllocation, rewardsWhatEvensOutAndPunishesWhatTilts) {
  struct Case {
    std::string_view name;
    std::string_view used_cpu, used_memory, cpu, memory;
    std::int64_t score;
  };
  const Case cases[] = {
      {"an even pod on an empty node", "0", "0", "1", "8Gi", 75},
      {"cpu only on an empty node", "0", "0", "2", "0", 62},       // 100 to 75
      {"memory beside cpu evens out", "2", "0", "0", "16Gi", 87},  // 75 to 100
      {"beyond capacity counts as full", "8", "64Gi", "1", "0", 75},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n"));
    cluster.set_pod(pod("there").cpu(c.used_cpu).memory(c.used_memory).on("n"));
    const auto id = cluster.set_pod(pod("new").cpu(c.cpu).memory(c.memory));
    EXPECT_EQ(prepare(BalancedAllocation({}), cluster, id)->score(on), c.score);
  }
}

TEST(BalancedAllocation, hasNothingToSayAboutPodsThatAskForNothing) {
  Cluster cluster;
  cluster.set_node(node("n"));
  const auto id = cluster.set_pod(pod("new"));
  const auto prepared =
      BalancedAllocation({}).prepare_score(cluster, cluster.class_of(id)).verdict.code;
  EXPECT_EQ(prepared, core::Code::skip);
}

TEST(BalancedAllocation, takesTheStandardDeviationOfMoreThanTwo) {
  core::BalancedAllocationArgs args;
  args.resources.push_back({"example.com/gpu", 1});
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n").allocatable("example.com/gpu", "4"));
  const auto id = cluster.set_pod(pod("new").cpu("4").memory("0").request("example.com/gpu", "2"));
  // Fractions 1, 0, 0.5 deviate by 0.408: 59 from 100.
  EXPECT_EQ(prepare(BalancedAllocation(args), cluster, id)->score(on), 50 + (50 + 59 - 100) / 2);
}

// A cluster of odd nodes: nothing allocatable, huge, over-committed, vacant slots.
void fill(Cluster& cluster, Random& random) {
  constexpr std::string_view kCpu[] = {"0", "1", "4", "63", "96"};
  constexpr std::string_view kMemory[] = {"0", "1", "32Gi", "1500G", "63Ti", "65Ti", "8E"};
  const auto pick = [&](const auto& from) {
    return from[static_cast<std::size_t>(random.below(std::size(from)))];
  };
  for (int i = 0; i < 700; ++i) {
    const auto name = "n" + std::to_string(i);
    // The first blocks hold ordinary nodes, so that both ways of computing are taken.
    const bool odd = i >= 300;
    auto made = node(name).cpu(odd ? pick(kCpu) : "63").memory(odd ? pick(kMemory) : "1500G");
    cluster.set_node(made.allocatable("example.com/gpu", i % 3 == 0 ? "8" : "0"));
    auto there = pod("p" + name).cpu(std::to_string(random.below(70000)) + "m").on(name);
    cluster.set_pod(there.memory(odd ? pick(kMemory) : std::to_string(random.below(1600)) + "G"));
  }
  for (int i = 0; i < 700; i += 97) cluster.remove_node("n" + std::to_string(i));
}

TEST(Scores, areTheSameForAllNodesAtOnceAsOneByOne) {
  Random random(7);
  Cluster cluster;
  fill(cluster, random);
  std::vector<std::unique_ptr<core::ScorePlugin>> plugins;
  for (const auto strategy : {FitArgs::Strategy::least_allocated, FitArgs::Strategy::most_allocated,
                              FitArgs::Strategy::requested_to_capacity_ratio}) {
    FitArgs args;
    args.strategy = strategy;
    args.shape = {{0, 0}, {37, 10}, {90, 1}};
    args.resources = {{"cpu", 3}, {"memory", 1}, {"example.com/gpu", 7}};
    plugins.push_back(std::make_unique<ResourcesFit>(args));
  }
  plugins.push_back(std::make_unique<ResourcesFit>(FitArgs{}));
  plugins.push_back(std::make_unique<BalancedAllocation>(core::BalancedAllocationArgs{}));
  core::BalancedAllocationArgs three;
  three.resources.push_back({"example.com/gpu", 1});
  plugins.push_back(std::make_unique<BalancedAllocation>(three));

  std::vector<std::int64_t> column(cluster.nodes().slots());
  for (int round = 0; round < 40; ++round) {
    auto wanted = pod("new").cpu(std::to_string(random.below(9000)) + "m");
    wanted.memory(round % 8 == 0 ? "70Ti" : std::to_string(random.below(1 << 30)));
    if (round % 2 == 0) wanted.request("example.com/gpu", "3");
    const auto id = cluster.set_pod(wanted);
    for (const auto& plugin : plugins) {
      const auto evaluator = prepare(*plugin, cluster, id);
      evaluator->score(cluster.nodes().live(), column);
      cluster.nodes().live().for_each_set([&](std::size_t i) {
        ASSERT_EQ(column[i], evaluator->score(NodeId{static_cast<std::uint32_t>(i)})) << i;
        ASSERT_GE(column[i], 0);
        ASSERT_LE(column[i], core::kMaxNodeScore);
      });
    }
  }
}

TEST(PlacementScore, prefersTheFullerDomain) {
  // Three domains of 8, 10 and 10 cpu with 1, 4 and 2 in use, and a gang of four single cpus.
  struct Case {
    std::string_view name;
    std::string_view capacity, used;
    std::int64_t score;
  };
  constexpr Case kCases[] = {
      {"5 of 8", "8", "1", 62}, {"8 of 10", "10", "4", 80}, {"6 of 10", "10", "2", 60}};
  FitArgs args;
  args.resources = {{"cpu", 1}};
  args.strategy = FitArgs::Strategy::least_allocated;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Cluster cluster;
    const NodeId on = cluster.set_node(node("n").cpu(c.capacity));
    cluster.set_node(node("elsewhere").cpu("1000"));
    cluster.set_pod(pod("there").cpu(c.used).on("n"));
    std::vector<core::ProposedPod> proposed;
    for (const auto* name : {"a", "b", "c", "d"}) {
      proposed.push_back({cluster.set_pod(pod(name).cpu("1")), on});
      cluster.place(proposed.back().pod, on);
    }
    core::Placement placement{"zone", "z", Bitset(cluster.nodes().slots())};
    placement.nodes.set(on.index);
    EXPECT_EQ(ResourcesFit(args).score(cluster, core::GroupTable{}, {}, placement, proposed),
              c.score);
  }
}

// A domain of one node, and a gang of alike pods: scored once as placed, once as foreseen.
struct Domain {
  Domain(const std::shared_ptr<const model::Node>& node, const test::PodBuilder& used,
         const test::PodBuilder& member, std::size_t count)
      : placement{"zone", "z", Bitset(1)} {
    const NodeId on = cluster.set_node(node);
    placement.nodes.set(on.index);
    auto there = std::make_shared<model::Pod>(*used.build());
    there->node_name = node->meta.name;
    cluster.set_pod(there);
    for (std::size_t i = 0; i < count; ++i) {
      auto pod = std::make_shared<model::Pod>(*member.build());
      pod->meta.name = pod->meta.uid = "member-" + std::to_string(i);
      proposed.push_back({cluster.set_pod(pod), on});
    }
  }
  std::int64_t foreseen(const FitArgs& args) {
    return *ResourcesFit(args).foresee(cluster, core::GroupTable{}, {}, placement,
                                       proposed.front().pod, proposed.size());
  }
  std::int64_t placed(const FitArgs& args) {
    for (const auto& [pod, node] : proposed) cluster.place(pod, node);
    return ResourcesFit(args).score(cluster, core::GroupTable{}, {}, placement, proposed);
  }

  Cluster cluster;
  core::Placement placement;
  std::vector<core::ProposedPod> proposed;
};

TEST(PlacementScore, weighsResourcesAndRoundsDown) {
  struct Case {
    std::string_view name;
    test::NodeBuilder node;
    test::PodBuilder used, member;
    std::size_t count;
    std::vector<core::WeightedResource> resources;
    std::int64_t score;
  };
  const auto cpu = [](std::string_view amount) { return pod("p").cpu(amount).memory("1Gi"); };
  const Case cases[] = {
      {"cpu 5/8, memory 5/10: (62 + 50) / 2",
       node("n").cpu("8").memory("10Gi"),
       cpu("1"),
       cpu("1"),
       4,
       {{"cpu", 1}, {"memory", 1}},
       56},
      {"cpu 5/8 twice, memory 5/10: (124 + 50) / 3",
       node("n").cpu("8").memory("10Gi"),
       cpu("1"),
       cpu("1"),
       4,
       {{"cpu", 2}, {"memory", 1}},
       58},
      {"more than there is counts as full",
       node("n").cpu("4").memory("10Gi"),
       cpu("2"),
       cpu("1"),
       4,
       {{"cpu", 1}},
       100},
      {"no requests count 100m and 200Mi each",
       node("n").cpu("1").memory("1000Mi"),
       pod("u"),
       pod("m"),
       2,
       {{"cpu", 1}, {"memory", 1}},
       45},
      {"an extended resource nobody asks for is left out",
       node("n").cpu("8").memory("10Gi").allocatable("x.y/gpu", "8"),
       cpu("1"),
       cpu("1"),
       4,
       {{"cpu", 1}, {"x.y/gpu", 1}},
       62},
      {"one that is asked for counts",
       node("n").cpu("8").memory("10Gi").allocatable("x.y/gpu", "8"),
       cpu("1"),
       cpu("1").request("x.y/gpu", "1"),
       4,
       {{"cpu", 1}, {"x.y/gpu", 1}},
       56},
      {"a resource the domain lacks is left out",
       node("n").cpu("8").memory("10Gi"),
       cpu("1"),
       cpu("1"),
       4,
       {{"cpu", 1}, {"x.y/none", 3}},
       62},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    FitArgs args;
    args.resources = c.resources;
    Domain domain(c.node, c.used, c.member, c.count);
    EXPECT_EQ(domain.foreseen(args), c.score);
    EXPECT_EQ(domain.placed(args), c.score);
  }
}

}  // namespace
}  // namespace tutti::plugins
