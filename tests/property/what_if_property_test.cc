// Rehearsals leave no trace: on small random clusters a scheduler that is asked for ways again and
// again decides, byte for byte, like one that never was. And what a way promises holds on the spot:
// its kinds are in their documented order.
//
// TUTTI_SEED=n runs that one seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "property/random_cluster.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/fake_port.h"
#include "whatif/headroom.h"
#include "whatif/ways.h"

namespace tutti {
namespace {

using test::Scene;
using test::SceneMaker;

constexpr std::array<std::string_view, 16> kOrder = {
    "removeGate",  "createPods",      "createGroup", "tolerate", "nodeSelector",  "nodeAffinity",
    "podAffinity", "podAntiAffinity", "spread",      "hostPort", "widenTopology", "dropTopology",
    "minCount",    "request",         "priority",    "uncordon"};

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

struct Stage {
  Stage() : scheduler(options(), test::default_profiles(), port) { port.serve(scheduler); }

  // Everything that waits asks; empty: nothing is wrong.
  std::string ask() {
    const core::Cluster& cluster = scheduler.cluster();
    const bool settled = scheduler.settled();
    const std::uint64_t digest = scheduler.digest();
    for (std::uint32_t slot = 0; slot < cluster.pods().slots(); ++slot) {
      const core::PodId pod{slot};
      if (cluster.pod(pod).object == nullptr || cluster.pod(pod).node.valid()) continue;
      const auto ways = whatif::find_ways(scheduler, port.now(), {pod, {}}, {});
      found += ways.size();
      if (auto problem = scheduler.check_consistency(); !problem.empty()) return problem;
    }
    if (scheduler.settled() != settled) return "being asked unsettles the scheduler";
    if (scheduler.digest() != digest) return "being asked makes the scheduler decide";
    return {};
  }

  test::FakePort port;
  core::Scheduler scheduler;
  std::size_t found = 0;
};

// The second of two halves of the waiting pods comes after everyone was asked.
std::string play(const Scene& scene, Stage& stage, bool asking) {
  for (const auto& node : scene.nodes) stage.port.apply(node);
  for (const auto& group : scene.groups) stage.port.apply(group);
  for (const auto& pod : scene.bound) stage.port.apply(pod);
  const std::size_t half = scene.waiting.size() / 2;
  for (std::size_t i = 0; i < scene.waiting.size(); ++i) {
    if (i == half) {
      if (!stage.port.settle()) return "the scheduler does not come to rest";
      if (asking) {
        if (auto problem = stage.ask(); !problem.empty()) return problem;
      }
    }
    stage.port.apply(scene.waiting[i]);
  }
  if (!stage.port.settle()) return "the scheduler does not come to rest";
  if (asking) {
    if (auto problem = stage.ask(); !problem.empty()) return problem;
  }
  // Room for those that wait.
  for (const auto& pod : scene.bound) {
    stage.port.remove(model::Kind::pod, pod->meta.ns, pod->meta.name);
  }
  return stage.port.settle() ? "" : "the scheduler does not come to rest";
}

std::string compare(const Scene& scene, std::size_t& found) {
  Stage silent;
  Stage asked;
  if (auto problem = play(scene, silent, false); !problem.empty()) return problem;
  if (auto problem = play(scene, asked, true); !problem.empty()) return problem + describe(scene);
  found += asked.found;
  if (silent.scheduler.digest() != asked.scheduler.digest()) {
    return "being asked changed what was decided later" + describe(scene);
  }
  return {};
}

TEST(WhatIfProperty, beingAskedChangesNoLaterDecision) {
  std::size_t found = 0;
  test::for_seeds("tutti_what_if_property_test", 150,
                  [&](std::uint64_t seed) { return compare(SceneMaker(seed).mixed(), found); });
  EXPECT_GT(found, 0U);
}

TEST(WhatIfProperty, beingAskedAboutUnlikeMembersChangesNoLaterDecision) {
  std::size_t found = 0;
  test::for_seeds("tutti_what_if_property_test", 100, [&](std::uint64_t seed) {
    return compare(SceneMaker(seed).heterogeneous(), found);
  });
  EXPECT_GT(found, 0U);
}

std::size_t rank(const std::string& kind) {
  return static_cast<std::size_t>(std::ranges::find(kOrder, kind) - kOrder.begin());
}

TEST(WhatIfProperty, cheaperWaysComeFirst) {
  test::for_seeds("tutti_what_if_property_test", 100, [&](std::uint64_t seed) -> std::string {
    Stage stage;
    const Scene scene = SceneMaker(seed).homogeneous();
    for (const auto& node : scene.nodes) stage.port.apply(node);
    for (const auto& group : scene.groups) stage.port.apply(group);
    for (const auto& pod : scene.bound) stage.port.apply(pod);
    for (const auto& pod : scene.waiting) stage.port.apply(pod);
    if (!stage.port.settle()) return "the scheduler does not come to rest";
    const auto group = stage.scheduler.groups().find("t", "g0", false);
    const auto& pending = stage.scheduler.groups()[*group].pending;
    if (pending.empty()) return {};
    const auto ways =
        whatif::find_ways(stage.scheduler, stage.port.now(), {*pending.begin(), *group}, {});
    const bool sorted =
        std::ranges::is_sorted(ways, {}, [](const explain::Way& way) { return rank(way.kind); });
    return sorted ? "" : "not in their order" + describe(scene);
  });
}

// The largest minimum with which the group runs, by trying every one; 0: none.
std::int64_t largest_minimum(whatif::Rehearsal& rehearsal, const core::Group& group) {
  for (std::int32_t minimum = group.spec().policy.minimum; minimum > 0; --minimum) {
    auto changed = std::make_shared<model::PodGroup>(*group.pod_group);
    changed->spec.policy.minimum = minimum;
    if (rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(changed); }).runs) {
      return minimum;
    }
  }
  return 0;
}

TEST(WhatIfProperty, countingRulesOutNothingThatWorks) {
  std::size_t looked_at = 0;
  test::for_seeds("tutti_what_if_property_test", 200, [&](std::uint64_t seed) -> std::string {
    Stage stage;
    const Scene scene =
        seed % 2 == 0 ? SceneMaker(seed).homogeneous() : SceneMaker(seed).heterogeneous();
    for (const auto& node : scene.nodes) stage.port.apply(node);
    for (const auto& group : scene.groups) stage.port.apply(group);
    for (const auto& pod : scene.bound) stage.port.apply(pod);
    for (const auto& pod : scene.waiting) stage.port.apply(pod);
    if (!stage.port.settle()) return "the scheduler does not come to rest";
    const auto id = stage.scheduler.groups().find("t", "g0", false);
    const core::Group& group = stage.scheduler.groups()[*id];
    if (group.pending.empty() || !group.spec().policy.gang) return {};
    whatif::Rehearsal rehearsal(stage.scheduler, stage.port.now(), {*group.pending.begin(), *id},
                                {});
    const whatif::Headroom headroom(rehearsal, rehearsal.priority());
    const std::int64_t most = headroom.members_within(headroom.key()) +
                              static_cast<std::int64_t>(group.scheduled_count());
    ++looked_at;
    return largest_minimum(rehearsal, group) <= most ? "" : "too low a bound" + describe(scene);
  });
  EXPECT_GT(looked_at, 0U);
}

}  // namespace
}  // namespace tutti
