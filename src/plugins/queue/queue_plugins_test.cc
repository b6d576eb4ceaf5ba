#include <gtest/gtest.h>

#include "plugins/queue/priority_sort.h"
#include "plugins/queue/scheduling_gates.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::Code;
using test::pod;

TEST(SchedulingGates, holdsAPodUntilItsGatesAreGone) {
  Cluster cluster;
  const auto gated = cluster.set_pod(pod("gated").gate("a").gate("b"));
  const auto open = cluster.set_pod(pod("open"));
  const SchedulingGates plugin;
  const auto verdict = plugin.pre_enqueue(cluster, {}, gated);
  EXPECT_EQ(verdict.code, Code::unresolvable);
  EXPECT_EQ(verdict.reason, "waiting for scheduling gates: [a b]");
  EXPECT_TRUE(plugin.pre_enqueue(cluster, {}, open).success());
}

TEST(SchedulingGates, retriesWhenTheLastGateOfThatPodGoes) {
  const auto gated = pod("p").gate("a").build();
  const auto fewer = pod("p").build();
  const auto other = pod("other").build();
  const auto event = [](const auto& about) {
    return core::ClusterEvent{core::EventKind::pod_updated, {}, about.get(), nullptr};
  };
  EXPECT_FALSE(SchedulingGates().worth_retrying({}, *gated, event(gated)));
  EXPECT_TRUE(SchedulingGates().worth_retrying({}, *gated, event(fewer)));
  EXPECT_FALSE(SchedulingGates().worth_retrying({}, *gated, event(other)));
}

TEST(PrioritySort, ordersByPriorityThenWaitThenName) {
  struct Case {
    std::string_view name;
    core::QueueRank first, second;
  };
  const Instant early{Millis(1)};
  const Instant late{Millis(2)};
  const Case cases[] = {
      {"priority before wait", {5, late, "b"}, {1, early, "a"}},
      {"negative priorities", {-1, late, "b"}, {-2, early, "a"}},
      {"wait before name", {1, early, "b"}, {1, late, "a"}},
      {"name last", {1, early, "a"}, {1, early, "b"}},
  };
  for (const auto& [name, first, second] : cases) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(PrioritySort().before(first, second));
    EXPECT_FALSE(PrioritySort().before(second, first));
    EXPECT_FALSE(PrioritySort().before(first, first));
  }
}

}  // namespace
}  // namespace tutti::plugins
