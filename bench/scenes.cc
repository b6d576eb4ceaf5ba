#include "scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/check.h"
#include "cluster_models.h"
#include "harness.h"
#include "support/build.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kGang = 1'024;
constexpr int kGangRounds = 200;

void fill(World& world, std::size_t nodes, bool varied) {
  for (const auto& node : make_nodes(nodes, varied)) world.add(node);
}

// Every node gets some running pods, so that nodes differ as they do in life.
void half_use(World& world, std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t k = 0; k < i % 24; ++k) {
      auto pod = std::make_shared<model::Pod>(*small_pod(i * 24 + k, "background"));
      pod->node_name = fmt::format("node-{:06}", i);
      world.add(pod);
    }
  }
}

double rate(std::size_t pods, const std::function<model::ObjectPtr(std::size_t)>& make,
            bool varied) {
  World world;
  fill(world, kNodes, varied);
  for (std::size_t i = 0; i < pods; ++i) world.add(make(i));
  std::size_t bound = 0;
  const double seconds = seconds_of([&] { bound = world.run(); });
  TUTTI_CHECK(bound == pods, "a scene's pods must all fit");
  return static_cast<double>(pods) / seconds;
}

// One decision about a gang that arrives whole; it leaves again afterwards.
double gang_decision(World& world, int round, std::size_t members, bool fits) {
  const std::string name = fmt::format("gang-{}", round);
  auto group = test::pod_group(name).gang(static_cast<std::int32_t>(members)).build();
  std::vector<model::ObjectPtr> pods;
  for (std::size_t i = 0; i < members; ++i) {
    auto pod = std::make_shared<model::Pod>(*small_pod(i, name.c_str()));
    if (!fits) {
      static const auto huge = test::pod("huge").cpu("61").memory("2Gi").build()->spec;
      auto spec = std::make_shared<model::PodSpec>(*huge);
      spec->scheduling_group = name;
      pod->spec = pods.empty() ? spec : static_cast<const model::Pod&>(*pods.front()).spec;
    }
    pods.push_back(pod);
  }
  world.add(group);
  for (const auto& pod : pods) world.add(pod);
  bool more = true;
  const double seconds = seconds_of([&] { more = world.scheduler.schedule_one(world.now); });
  TUTTI_CHECK(more);
  const auto id = world.scheduler.cluster().pods().find(pods.front()->meta.uid);
  TUTTI_CHECK(world.scheduler.cluster().pod(*id).assumed == fits);
  world.run();
  for (const auto& pod : pods) world.remove(pod);
  world.remove(group);
  return seconds;
}

std::vector<double> gang_decisions(std::size_t nodes, int rounds, bool fits) {
  World world;
  fill(world, nodes, false);
  half_use(world, nodes);
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    seconds.push_back(gang_decision(world, round, kGang, fits));
  }
  std::ranges::sort(seconds);
  return seconds;
}

double resident_mib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024.0;
  }
  return 0;
}

}  // namespace

void identical() {
  const double value = rate(
      50'000, [](std::size_t i) { return small_pod(i); }, false);
  print({"identical", "decisions", value, "pods/s", Figure::Bound::at_least, 100'000});
}

void different() {
  const double value = rate(
      20'000, [](std::size_t i) { return odd_pod(i); }, true);
  print({"different", "decisions", value, "pods/s", Figure::Bound::at_least, 5'000});
}

void gang() {
  const auto seconds = gang_decisions(kNodes, kGangRounds, true);
  print({"gang", "p50", seconds[seconds.size() / 2] * 1e3, "ms", Figure::Bound::at_most, 20});
  print(
      {"gang", "p99", seconds[seconds.size() * 99 / 100] * 1e3, "ms", Figure::Bound::at_most, 20});
}

void infeasible() {
  const auto seconds = gang_decisions(kNodes, kGangRounds, false);
  print({"infeasible", "p99", seconds[seconds.size() * 99 / 100] * 1e3, "ms",
         Figure::Bound::at_most, 20});
}

void scale() {
  const double small = gang_decisions(kNodes, 20, true)[10];
  const double large = gang_decisions(kNodes * 10, 20, true)[10];
  print(
      {"scale", "gang on ten times the nodes", large / small, "times", Figure::Bound::at_most, 12});
  const auto fill_time = [](std::size_t nodes) {
    World world;
    fill(world, nodes, true);
    for (std::size_t i = 0; i < 2'000; ++i) world.add(odd_pod(i));
    return seconds_of([&] { world.run(); });
  };
  const double few = fill_time(kNodes);
  print({"scale", "different pods on ten times the nodes", fill_time(kNodes * 10) / few, "times",
         Figure::Bound::at_most, 12});
}

void memory() {
  World world;
  fill(world, kNodes, false);
  for (std::size_t i = 0; i < 150'000; ++i) {
    auto pod = std::make_shared<model::Pod>(*small_pod(i));
    pod->meta.labels = {{"app", "web"}, {"index", std::to_string(i)}};
    pod->document = std::make_shared<std::string>(700, 'x');
    world.add(pod);
  }
  world.run();
  print({"memory", "resident", resident_mib(), "MiB", Figure::Bound::at_most, 600});
}

}  // namespace tutti::bench
