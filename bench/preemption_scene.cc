// Preemption: time until a gang that finds a full cluster has chosen its rack, its nodes and its
// victims.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cluster_models.h"
#include "harness.h"
#include "scenes.h"
#include "support/build.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kPodsPerNode = 10;
constexpr std::size_t kGang = 256;
constexpr int kRounds = 150;  // of fewer the 99th percentile is the first, with cold memories
constexpr Millis kDay = std::chrono::hours(24);

// Ten pods fill a node. Each `unit` of them, counted across nodes, falls together; 1: alone.
void fill_up(World& world, std::size_t nodes, std::size_t unit) {
  for (const auto& node : make_nodes(nodes, false)) world.add(node);
  const std::size_t pods = nodes * kPodsPerNode;
  for (std::size_t i = 0; i < pods; ++i) {
    auto made = test::pod(fmt::format("low-{:07}", i)).cpu("6400m").memory("2Gi");
    made.on(fmt::format("node-{:06}", i % nodes));
    if (unit > 1) {
      const std::string name = fmt::format("low-{}", i / unit);
      if (i % unit == 0) {
        auto group = std::make_shared<model::PodGroup>(*test::pod_group(name).build());
        group->spec.disruption = model::DisruptionMode::all;
        world.add(group);
      }
      made.group(name);
    }
    auto pod = std::make_shared<model::Pod>(*made.build());
    pod->status.start_time = world.now - kDay + std::chrono::seconds(i * 7919 % 80'000);
    world.add(pod);
  }
}

// One decision about a gang in one rack; it gives up and leaves afterwards.
double decision(World& world, int round, std::size_t members) {
  const std::string name = fmt::format("gang-{}", round);
  auto group = test::pod_group(name)
                   .gang(static_cast<std::int32_t>(members))
                   .priority(100)
                   .topology("example.com/rack")
                   .build();
  const auto spec = test::pod("template").cpu("6400m").memory("2Gi").group(name).build()->spec;
  std::vector<model::ObjectPtr> pods;
  world.add(group);
  for (std::size_t i = 0; i < members; ++i) {
    auto pod = std::make_shared<model::Pod>(
        *test::pod(fmt::format("{}-{:04}", name, i)).priority(100).build());
    pod->spec = spec;
    pods.push_back(pod);
    world.add(pod);
  }
  const double seconds = seconds_of([&] { world.scheduler.schedule_one(world.now); });
  const auto id = world.scheduler.cluster().pods().find(pods.front()->meta.uid);
  TUTTI_CHECK(world.scheduler.cluster().held().contains(*id), "room must be made");
  for (const auto& pod : pods) world.remove(pod);
  world.remove(group);
  return seconds;
}

std::vector<double> decisions(std::size_t nodes, std::size_t unit, int rounds) {
  World world;
  world.now += kDay;
  fill_up(world, nodes, unit);
  world.run();
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    seconds.push_back(decision(world, round, kGang));
  }
  std::ranges::sort(seconds);
  return seconds;
}

double p99(const std::vector<double>& seconds) { return seconds[seconds.size() * 99 / 100]; }

}  // namespace

void preemption() {
  const auto alone = decisions(kNodes, 1, kRounds);
  print(
      {"preemption", "one rack of pods, p99", p99(alone) * 1e3, "ms", Figure::Bound::at_most, 50});
  print({"preemption", "one rack of pods, worst", alone.back() * 1e3, "ms"});
  const auto together = decisions(kNodes, 50, kRounds);
  print({"preemption", "1,000 units across nodes, p99", p99(together) * 1e3, "ms",
         Figure::Bound::at_most, 250});
  const auto fewer = decisions(kNodes / 4, 1, kRounds);
  const std::size_t middle = alone.size() / 2;
  print({"preemption", "four times the victims", alone[middle] / fewer[middle], "times",
         Figure::Bound::at_most, 6});
}

}  // namespace tutti::bench
