#include "capacity/copy/refusals.h"

#include <gtest/gtest.h>

#include "support/build.h"
#include "support/fake_filters.h"

namespace tutti::capacity {
namespace {

TEST(Refusals, sayWhatTheFiltersAreAboutThatRejectANode) {
  core::Cluster cluster;
  const core::Profile profile = test::plain_profile();
  const auto add = [&](const test::NodeBuilder& node) {
    return cluster.set_node(node.build()).index;
  };
  const auto free = add(test::node("free").cpu("4"));
  const auto full = add(test::node("full").cpu("1"));
  const auto tainted = add(test::node("tainted").cpu("4").taint("x", "", "NoSchedule"));
  const auto both = add(test::node("both").cpu("1").taint("x", "", "NoSchedule"));
  const auto pod = cluster.set_pod(test::pod("p").cpu("2").build());
  const Refusals said = refusals(cluster, profile, cluster.class_of(pod));

  struct Case {
    std::size_t node;
    bool any, about_resources, only_resources, about_taints, but_for_resources;
  };
  const Case cases[] = {
      {free, false, false, false, false, true},
      {full, true, true, true, false, true},
      {tainted, true, false, false, true, false},
      {both, true, true, false, true, false},
  };
  using core::Concern;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.node);
    EXPECT_EQ(said.any(each.node), each.any);
    EXPECT_EQ(said.about(Concern::resources, each.node), each.about_resources);
    EXPECT_EQ(said.only_about(Concern::resources, each.node), each.only_resources);
    EXPECT_EQ(said.about(Concern::taints, each.node), each.about_taints);
    EXPECT_EQ(said.accepted_but_for(Concern::resources).test(each.node), each.but_for_resources);
  }
}

}  // namespace
}  // namespace tutti::capacity
