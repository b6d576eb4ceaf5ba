#include "plugins/affinity/node_affinity.h"

#include <gtest/gtest.h>

#include "plugins/affinity/node_name.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::NodeId;
using core::WorkClass;
using test::node;
using test::pod;
using Op = model::Requirement::Operator;

model::NodeSelectorTerm has_label(std::string key, std::string value) {
  return {{{std::move(key), Op::in, {std::move(value)}}}, {}};
}

TEST(NodeAffinity, acceptsOnlyNodesThatMatchThePodAndTheProfile) {
  Cluster cluster;
  const NodeId both = cluster.set_node(node("both").label("zone", "x").label("pool", "batch"));
  const NodeId pod_only = cluster.set_node(node("pod-only").label("zone", "x"));
  const NodeId neither = cluster.set_node(node("neither"));
  core::NodeAffinityArgs args;
  args.added_affinity.emplace().required = {has_label("pool", "batch")};
  const auto id = cluster.set_pod(pod("p").node_selector("zone", "x"));
  const auto filter = NodeAffinity(args).prepare_filter(cluster, cluster.class_of(id)).evaluator;
  ASSERT_NE(filter, nullptr);
  struct Case {
    NodeId node;
    bool accepted;
    std::string_view reason;
  };
  const Case cases[] = {{both, true, ""},
                        {pod_only, false, "node(s) didn't match scheduler-enforced node affinity"},
                        {neither, false, "node(s) didn't match scheduler-enforced node affinity"}};
  Bitset nodes = cluster.nodes().live();
  filter->filter(nodes);
  for (const auto& [on, accepted, reason] : cases) {
    SCOPED_TRACE(cluster.node_name(on));
    EXPECT_EQ(filter->accepts(on), accepted);
    EXPECT_EQ(nodes.test(on.index), accepted);
    EXPECT_EQ(accepted ? "" : filter->explain(on)[0].reason, reason);
  }
}

TEST(NodeAffinity, blamesThePodWhenOnlyItsOwnTermsFail) {
  Cluster cluster;
  const NodeId on = cluster.set_node(node("n"));
  const auto id = cluster.set_pod(pod("p").node_selector("zone", "x"));
  const auto filter = NodeAffinity({}).prepare_filter(cluster, cluster.class_of(id)).evaluator;
  const auto verdicts = filter->explain(on);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].reason, "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(verdicts[0].code, core::Code::unresolvable);
}

TEST(NodeAffinity, saysNothingAboutPodsWithoutWishes) {
  Cluster cluster;
  cluster.set_node(node("n"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p")));
  EXPECT_EQ(NodeAffinity({}).prepare_filter(cluster, pods).verdict.code, core::Code::skip);
  EXPECT_EQ(NodeAffinity({}).prepare_score(cluster, pods).verdict.code, core::Code::skip);
}

TEST(NodeAffinity, sumsTheWeightsOfPreferredTermsOfPodAndProfile) {
  Cluster cluster;
  const NodeId both = cluster.set_node(node("both").label("zone", "x").label("disk", "ssd"));
  const NodeId one = cluster.set_node(node("one").label("disk", "ssd"));
  const NodeId none = cluster.set_node(node("none"));
  core::NodeAffinityArgs args;
  args.added_affinity.emplace().preferred = {{10, has_label("disk", "ssd")}};
  const auto id = cluster.set_pod(pod("p").with([](model::PodSpec& spec) {
    spec.node_affinity.preferred = {{30, has_label("zone", "x")}, {50, {}}};
  }));
  const auto scores = NodeAffinity(args).prepare_score(cluster, cluster.class_of(id)).evaluator;
  ASSERT_NE(scores, nullptr);
  const std::tuple<NodeId, std::int64_t, std::int64_t> expected[] = {
      {both, 40, 100}, {one, 10, 25}, {none, 0, 0}};
  for (const auto& [on, raw, normalized] : expected) {
    EXPECT_EQ(scores->score(on), raw);
    EXPECT_EQ(scores->normalize(on, raw, 0, 40), normalized);
  }
}

TEST(NodeAffinity, retriesOnlyForNodesThatNowMatch) {
  Cluster cluster;
  const NodeId good = cluster.set_node(node("good").label("zone", "x"));
  const NodeId bad = cluster.set_node(node("bad"));
  const auto object = pod("p").node_selector("zone", "x").build();
  const auto event = [](NodeId on) {
    return core::ClusterEvent{core::EventKind::node_labels, on, nullptr, nullptr};
  };
  EXPECT_TRUE(NodeAffinity({}).worth_retrying(cluster, *object, event(good)));
  EXPECT_FALSE(NodeAffinity({}).worth_retrying(cluster, *object, event(bad)));
}

TEST(NodeName, acceptsTheNamedNodeOnly) {
  Cluster cluster;
  const NodeId named = cluster.set_node(node("named"));
  const NodeId other = cluster.set_node(node("other"));
  const auto object = pod("p").on("named").build();
  const auto filter =
      NodeName().prepare_filter(cluster, {{}, {}, 0, WorkClass::none, object.get()}).evaluator;
  ASSERT_NE(filter, nullptr);
  Bitset nodes = cluster.nodes().live();
  filter->filter(nodes);
  EXPECT_TRUE(nodes.test(named.index));
  EXPECT_FALSE(nodes.test(other.index));
  EXPECT_TRUE(filter->accepts(named));
  EXPECT_FALSE(filter->accepts(other));
}

TEST(NodeName, acceptsNothingWhenTheNamedNodeIsUnknown) {
  Cluster cluster;
  cluster.set_node(node("other"));
  const auto object = pod("p").on("absent").build();
  const auto filter =
      NodeName().prepare_filter(cluster, {{}, {}, 0, WorkClass::none, object.get()}).evaluator;
  Bitset nodes = cluster.nodes().live();
  filter->filter(nodes);
  EXPECT_TRUE(nodes.none());
}

}  // namespace
}  // namespace tutti::plugins
