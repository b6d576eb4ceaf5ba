// A gang of 256 that spreads on a large cluster and waits: its verdict with everything that would
// help it, and what `tutti capacity` says of such gangs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "capacity/report.h"
#include "cluster_models.h"
#include "explain/explain.h"
#include "harness.h"
#include "scenes.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "whatif/ways.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kNodes = 5'000;
constexpr std::size_t kGang = 256;
constexpr int kRounds = 10;
constexpr const char* kZone = "topology.kubernetes.io/zone";

// Ten pods fill a node; those of the first zone are full, the others half.
void use(World& world) {
  for (const auto& node : make_nodes(kNodes, false)) world.add(node);
  const auto spec = test::pod("template").cpu("6400m").memory("2Gi").build()->spec;
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t k = 0; k < (i % 3 == 0 ? 10U : 5U); ++k) {
      auto pod = std::make_shared<model::Pod>(
          *test::pod(fmt::format("run-{:05}-{}", i, k)).on(fmt::format("node-{:06}", i)).build());
      pod->spec = spec;
      world.add(pod);
    }
  }
}

struct Waiting {
  model::ObjectPtr group;
  std::vector<model::ObjectPtr> pods;
};

// No zone may have one member more than another.
Waiting add_spread_gang(World& world, const std::string& name) {
  Waiting made;
  made.group = test::pod_group(name).gang(static_cast<std::int32_t>(kGang)).build();
  world.add(made.group);
  auto spec = std::make_shared<model::PodSpec>(
      *test::pod("template").cpu("6400m").memory("2Gi").group(name).build()->spec);
  model::TopologySpreadConstraint constraint;
  constraint.topology_key = kZone;
  constraint.selector.emplace();
  constraint.selector->match_labels = {{"app", name}};
  spec->spread.push_back(constraint);
  for (std::size_t i = 0; i < kGang; ++i) {
    auto pod = std::make_shared<model::Pod>(
        *test::pod(fmt::format("{}-{:04}", name, i)).label("app", name).build());
    pod->spec = spec;
    made.pods.push_back(pod);
    world.add(pod);
  }
  return made;
}

double explanation(World& world, int round) {
  const std::string name = fmt::format("gang-{}", round);
  const Waiting gang = add_spread_gang(world, name);
  world.run();
  core::Scheduler& scheduler = world.scheduler;
  const auto group = scheduler.groups().find("t", name, false);
  TUTTI_CHECK(group && scheduler.groups()[*group].pending.size() == kGang, "the gang was to wait");
  const core::PodId pod = *scheduler.groups()[*group].pending.begin();
  std::size_t ways = 0;
  const double seconds = seconds_of([&] {
    explain::Verdict verdict = explain::explain_group(scheduler, *group);
    verdict.ways = whatif::find_ways(scheduler, world.now, {pod, *group}, {});
    ways = verdict.ways.size();
  });
  TUTTI_CHECK(ways >= 1, "something was to help it");
  for (const auto& member : gang.pods) world.remove(member);
  world.remove(gang.group);
  return seconds;
}

}  // namespace

void spread() {
  World world;
  use(world);
  double slowest = 0;
  for (int round = 0; round < kRounds; ++round) {
    slowest = std::max(slowest, explanation(world, round));
  }
  print({"spread", "explain a gang of 256 over zones, one of them full, slowest", slowest * 1e3,
         "ms", Figure::Bound::at_most, 50});
  add_spread_gang(world, "waits");
  world.run();
  const double seconds = seconds_of([&] {
    capacity::Twin twin(world.scheduler, test::default_profiles());
    const auto report = capacity::make_report({.scheduler = world.scheduler,
                                               .sources = explain::sources_of(world.scheduler),
                                               .now = world.now},
                                              twin);
    TUTTI_CHECK(!report.queue.lines.empty(), "the gang was to wait");
  });
  print({"spread", "the report of 5,000 nodes with such a gang", seconds, "s",
         Figure::Bound::at_most, 1});
}

}  // namespace tutti::bench
