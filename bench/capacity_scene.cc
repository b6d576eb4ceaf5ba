// tutti capacity on a large cluster: gangs of several shapes run, others wait.
#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "capacity/report.h"
#include "explain/explain.h"
#include "harness.h"
#include "scenes.h"
#include "support/build.h"
#include "support/default_profile.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kWaitingGangs = 200;
constexpr std::array<std::size_t, 4> kGpus = {1, 2, 4, 8};

// Racks of 32 and blocks of ten racks; some nodes are cordoned.
void add_nodes(World& world) {
  for (std::size_t i = 0; i < kNodes; ++i) {
    auto node = test::node(fmt::format("node-{:05}", i));
    node.cpu("96").memory("1Ti").allocatable("nvidia.com/gpu", "8");
    node.label("example.com/rack", fmt::format("r{:03}", i / 32));
    node.label("example.com/block", fmt::format("b{:02}", i / 320));
    if (i % 97 == 0) node.unschedulable();
    world.add(node.build());
  }
}

void add_gang(World& world, const std::string& name, std::size_t members, std::size_t gpus,
              const std::string& key) {
  world.add(test::pod_group(name).gang(static_cast<std::int32_t>(members)).topology(key).build());
  for (std::size_t i = 0; i < members; ++i) {
    auto pod = test::pod(fmt::format("{}-{}", name, i)).group(name);
    pod.cpu(fmt::format("{}", 8 * gpus)).request("nvidia.com/gpu", fmt::format("{}", gpus));
    world.add(pod.build());
  }
}

}  // namespace

void capacity() {
  World world;
  add_nodes(world);
  for (std::size_t i = 0; i < 1'000; ++i) {
    add_gang(world, fmt::format("run-{:04}", i), 8, kGpus[i % kGpus.size()], "");
  }
  world.run();
  for (std::size_t i = 0; i < kWaitingGangs; ++i) {
    add_gang(world, fmt::format("wait-{:04}", i), 64, 8, "example.com/rack");
  }
  world.run();
  double seconds = 0;
  std::size_t waiting = 0;
  seconds = seconds_of([&] {
    capacity::ClusterCopy twin(world.scheduler, test::default_profiles());
    const auto report = capacity::make_report({.scheduler = world.scheduler,
                                               .sources = explain::sources_of(world.scheduler),
                                               .now = world.now},
                                              twin);
    waiting = report.queue.lines.size() + report.queue.more;
  });
  TUTTI_CHECK(waiting >= kWaitingGangs, "the gangs were to wait");
  print({"capacity", "the report of 5,000 nodes", seconds, "s", Figure::Bound::at_most, 1});
}

}  // namespace tutti::bench
