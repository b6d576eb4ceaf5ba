#include <gtest/gtest.h>

#include "core/matching/toleration.h"
#include "plugins/taints/node_unschedulable.h"
#include "plugins/taints/taint_toleration.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using core::Cluster;
using core::NodeId;
using test::node;
using test::pod;
using Op = model::Toleration::Operator;

TEST(Toleration, matchesKeyEffectAndValueAsItsOperatorSays) {
  struct Case {
    std::string_view name;
    model::Toleration toleration;
    model::Taint taint;
    bool expected;
  };
  const model::Taint gpu{"gpu", "yes", "NoSchedule"};
  const model::Taint level{"level", "5", "NoExecute"};
  const Case cases[] = {
      {"equal", {"gpu", Op::equal, "yes", "NoSchedule", {}}, gpu, true},
      {"equal, another value", {"gpu", Op::equal, "no", "NoSchedule", {}}, gpu, false},
      {"equal, another key", {"cpu", Op::equal, "yes", "NoSchedule", {}}, gpu, false},
      {"equal, another effect", {"gpu", Op::equal, "yes", "NoExecute", {}}, gpu, false},
      {"every effect", {"gpu", Op::equal, "yes", "", {}}, gpu, true},
      {"exists", {"gpu", Op::exists, "", "", {}}, gpu, true},
      {"exists, every key", {"", Op::exists, "", "", {}}, gpu, true},
      {"exists, every key, another effect", {"", Op::exists, "", "NoExecute", {}}, gpu, false},
      {"less", {"level", Op::lt, "6", "", {}}, level, true},
      {"not less", {"level", Op::lt, "5", "", {}}, level, false},
      {"greater", {"level", Op::gt, "-3", "", {}}, level, true},
      {"not greater", {"level", Op::gt, "5", "", {}}, level, false},
      {"less than no number", {"level", Op::lt, "six", "", {}}, level, false},
      {"less than an oddly written number", {"level", Op::lt, "06", "", {}}, level, false},
      {"a taint that is no number", {"gpu", Op::gt, "1", "", {}}, gpu, false},
  };
  for (const auto& [name, toleration, taint, expected] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(core::tolerates(toleration, taint), expected);
  }
}

TEST(TaintToleration, keepsPodsOffNodesTheyDoNotTolerate) {
  Cluster cluster;
  const NodeId plain = cluster.set_node(node("plain"));
  const NodeId tainted = cluster.set_node(node("tainted")
                                              .taint("soft", "x", "PreferNoSchedule")
                                              .taint("team", "a", "NoSchedule")
                                              .taint("late", "b", "NoExecute"));
  const auto other = cluster.set_pod(pod("other"));
  const auto member = cluster.set_pod(pod("member")
                                          .toleration({"team", Op::equal, "a", "", {}})
                                          .toleration({"late", Op::exists, "", "", {}}));
  const TaintToleration plugin;
  const auto prepared = plugin.prepare_filter(cluster, cluster.class_of(other));
  ASSERT_TRUE(prepared.verdict.success());
  Bitset nodes = cluster.nodes().live();
  prepared.evaluator->filter(nodes);
  EXPECT_TRUE(nodes.test(plain.index));
  EXPECT_FALSE(nodes.test(tainted.index));
  EXPECT_TRUE(prepared.evaluator->accepts(plain));
  EXPECT_FALSE(prepared.evaluator->accepts(tainted));
  const auto reasons = prepared.evaluator->explain(tainted);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].reason, "node(s) had untolerated taint {team: a}");
  EXPECT_EQ(reasons[0].code, core::Code::unresolvable);
  EXPECT_EQ(plugin.prepare_filter(cluster, cluster.class_of(member)).verdict.code,
            core::Code::skip);
}

TEST(TaintToleration, prefersNodesWithFewerDislikedTaints) {
  Cluster cluster;
  const NodeId none = cluster.set_node(node("none"));
  const NodeId one = cluster.set_node(node("one").taint("a", "", "PreferNoSchedule"));
  const NodeId three = cluster.set_node(node("three")
                                            .taint("a", "", "PreferNoSchedule")
                                            .taint("b", "", "PreferNoSchedule")
                                            .taint("c", "", "PreferNoSchedule"));
  const auto id = cluster.set_pod(pod("p"));
  const auto evaluator = TaintToleration().prepare_score(cluster, cluster.class_of(id)).evaluator;
  ASSERT_NE(evaluator, nullptr);
  std::vector<std::int64_t> column(cluster.nodes().slots());
  evaluator->score(cluster.nodes().live(), column);
  const std::pair<NodeId, std::int64_t> expected[] = {{none, 100}, {one, 67}, {three, 0}};
  for (const auto& [on, score] : expected) {
    EXPECT_EQ(column[on.index], evaluator->score(on));
    EXPECT_EQ(evaluator->normalize(on, column[on.index], 0, 3), score);
  }
  EXPECT_EQ(evaluator->normalize(none, 0, 0, 0), 100);
}

TEST(TaintToleration, saysNothingWhereNothingIsDisliked) {
  Cluster cluster;
  cluster.set_node(node("n").taint("a", "", "NoSchedule"));
  const auto id = cluster.set_pod(pod("p"));
  EXPECT_EQ(TaintToleration().prepare_score(cluster, cluster.class_of(id)).verdict.code,
            core::Code::skip);
}

TEST(NodeUnschedulable, keepsPodsOffCordonedNodes) {
  Cluster cluster;
  const NodeId open = cluster.set_node(node("open"));
  const NodeId cordoned = cluster.set_node(node("cordoned").unschedulable());
  const auto id = cluster.set_pod(pod("p"));
  const auto filter = NodeUnschedulable().prepare_filter(cluster, cluster.class_of(id)).evaluator;
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->accepts(open));
  EXPECT_FALSE(filter->accepts(cordoned));
  EXPECT_EQ(filter->explain(cordoned)[0].reason, "node(s) were unschedulable");
}

TEST(NodeUnschedulable, letsPodsThatTolerateTheCordonPass) {
  Cluster cluster;
  cluster.set_node(node("cordoned").unschedulable());
  const auto id = cluster.set_pod(
      pod("p").toleration({"node.kubernetes.io/unschedulable", Op::exists, "", "", {}}));
  EXPECT_EQ(NodeUnschedulable().prepare_filter(cluster, cluster.class_of(id)).verdict.code,
            core::Code::skip);
}

TEST(TaintPlugins, retryOnlyForNodesThatNowTakeThePod) {
  Cluster cluster;
  const NodeId good = cluster.set_node(node("good"));
  const NodeId bad = cluster.set_node(node("bad").taint("a", "", "NoSchedule").unschedulable());
  const auto object = pod("p").build();
  const auto event = [](NodeId on) {
    return core::ClusterEvent{core::EventKind::node_taints, on, nullptr, nullptr};
  };
  EXPECT_TRUE(TaintToleration().worth_retrying(cluster, *object, event(good)));
  EXPECT_FALSE(TaintToleration().worth_retrying(cluster, *object, event(bad)));
  EXPECT_TRUE(NodeUnschedulable().worth_retrying(cluster, *object, event(good)));
  EXPECT_FALSE(NodeUnschedulable().worth_retrying(cluster, *object, event(bad)));
}

}  // namespace
}  // namespace tutti::plugins
