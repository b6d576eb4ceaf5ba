// Gangs that must stay together, on clusters of blocks, racks and hosts.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cluster_models.h"
#include "harness.h"
#include "model/topology.h"
#include "scenes.h"
#include "support/build.h"

namespace tutti::bench {
namespace {

constexpr const char* kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr const char* kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
using Annotations = std::vector<std::pair<std::string, std::string>>;

// `count` nodes of 8 cpu, `per_rack` to a rack and `per_block` to a block, every third of them half
// used.
void fill(World& world, std::size_t count, std::size_t per_rack, std::size_t per_block) {
  auto levels = std::make_shared<model::Topology>();
  levels->meta.name = "levels";
  levels->levels = {"block", "rack", "kubernetes.io/hostname"};
  world.add(levels);
  for (std::size_t i = 0; i < count; ++i) {
    auto node = test::node(fmt::format("node-{:06}", i));
    node.cpu("8").memory("64Gi").label("rack", fmt::format("rack-{:05}", i / per_rack));
    world.add(node.label("block", fmt::format("block-{:04}", i / per_block)).build());
    for (std::size_t k = 0; k < (i % 3 == 0 ? 4 : 0); ++k) {
      auto pod = std::make_shared<model::Pod>(*small_pod(i * 4 + k, "background"));
      pod->node_name = fmt::format("node-{:06}", i);
      world.add(pod);
    }
  }
}

struct Gang {
  std::shared_ptr<const model::PodGroup> group;
  std::vector<model::ObjectPtr> pods;
};

Gang make_gang(const std::string& name, std::size_t members, const std::string& key,
               const Annotations& annotations) {
  Gang gang;
  gang.group = test::pod_group(name).gang(static_cast<std::int32_t>(members)).topology(key).build();
  for (std::size_t i = 0; i < members; ++i) {
    auto pod = std::make_shared<model::Pod>(*small_pod(i, name.c_str()));
    for (const auto& [what, value] : annotations) test::put(pod->meta.annotations, what, value);
    gang.pods.push_back(pod);
  }
  return gang;
}

void add(World& world, const Gang& gang) {
  world.add(gang.group);
  for (const auto& pod : gang.pods) world.add(pod);
}

// Seconds of the decision about gangs that come and go, sorted.
std::vector<double> decisions(World& world, int rounds, std::size_t members, const std::string& key,
                              const Annotations& annotations) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const Gang gang = make_gang(fmt::format("gang-{}", round), members, key, annotations);
    add(world, gang);
    seconds.push_back(seconds_of([&] { world.scheduler.schedule_one(world.now); }));
    const auto& first = *gang.pods.front();
    const auto id = world.scheduler.cluster().pods().find(first.meta.uid);
    TUTTI_CHECK(world.scheduler.cluster().pod(*id).assumed, "the gang must fit");
    world.run();
    for (const auto& pod : gang.pods) world.remove(pod);
    world.remove(gang.group);
  }
  std::ranges::sort(seconds);
  return seconds;
}

double p99(const std::vector<double>& seconds) { return seconds[seconds.size() * 99 / 100] * 1e3; }

}  // namespace

void rack_gang() {
  World world;
  fill(world, 5'000, 100, 1'000);
  const auto seconds = decisions(world, 300, 64, "rack", {});
  print({"rack-gang", "p99", p99(seconds), "ms", Figure::Bound::at_most, 2});
}

void level_gang() {
  World world;
  fill(world, 20'000, 40, 1'000);
  const auto seconds =
      decisions(world, 300, 1'024, "", {{kRequired, "block"}, {kPreferred, "rack"}});
  print({"level-gang", "p99", p99(seconds), "ms", Figure::Bound::at_most, 20});
}

void waiting_gangs() {
  constexpr std::size_t kGangs = 200;
  World world;
  fill(world, 20'000, 40, 1'000);
  // A block has room for 6,664 such pods.
  for (std::size_t g = 0; g < kGangs; ++g) {
    auto gang = make_gang(fmt::format("waiting-{}", g), 1'024, "",
                          {{kRequired, "block"}, {kPreferred, "rack"}});
    static const auto large = test::pod("large").cpu("7").memory("2Gi").build()->spec;
    auto spec = std::make_shared<model::PodSpec>(*large);
    spec->scheduling_group = gang.group->meta.name;
    for (auto& pod : gang.pods) {
      auto changed = std::make_shared<model::Pod>(static_cast<const model::Pod&>(*pod));
      changed->spec = spec;
      pod = changed;
    }
    add(world, gang);
  }
  world.run();
  auto freed = std::make_shared<model::Pod>(*small_pod(0, "background"));
  freed->node_name = "node-000000";
  world.remove(freed);
  world.now += std::chrono::minutes(10);
  const double seconds = seconds_of([&] { world.run(); });
  print({"waiting-gangs", "all verdicts current", seconds * 1e3, "ms", Figure::Bound::at_most, 50});
}

void huge_gang() {
  World world;
  fill(world, 100'000, 50, 5'000);
  const auto seconds = decisions(world, 20, 4'096, "", {{kRequired, "block"}});
  print({"huge-gang", "median", seconds[seconds.size() / 2] * 1e3, "ms"});
  // The first one: it also counts the domains of every level.
  print({"huge-gang", "worst", seconds.back() * 1e3, "ms", Figure::Bound::at_most, 100});
}

}  // namespace tutti::bench
