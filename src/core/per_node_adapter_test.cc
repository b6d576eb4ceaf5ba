#include "core/per_node_adapter.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

// Wants two free cpus beyond the request and counts pods; scores out of range on purpose.
class Roomy final : public PerNodePlugin {
 public:
  bool filters() const override { return true; }
  bool scores() const override { return true; }
  Verdict filter(const PodView& wanted, const NodeView& on) const override {
    const auto free = on.allocatable("cpu") - on.used("cpu");
    if (free - wanted.request("cpu") >= 2000) return {};
    return {Code::unresolvable, {}, "not roomy"};
  }
  std::int64_t score(const PodView&, const NodeView& on) const override {
    return on.label("bad") != nullptr ? -5 : 200 - 150 * static_cast<int>(on.pod_count());
  }
};

TEST(PerNodeAdapter, asksThePluginNodeByNode) {
  Cluster cluster;
  const NodeId large = cluster.set_node(node("large").cpu("8"));
  const NodeId small = cluster.set_node(node("small").cpu("2").label("bad", "yes"));
  cluster.set_pod(pod("there").cpu("1").on("large"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p").cpu("1")));
  const PerNodeAdapter plugin("Roomy", std::make_unique<Roomy>());

  const auto filter = plugin.prepare_filter(cluster, pods).evaluator;
  Bitset nodes = cluster.live_nodes();
  filter->filter(nodes);
  EXPECT_TRUE(nodes.test(large.index));
  EXPECT_FALSE(nodes.test(small.index));
  const auto verdicts = filter->explain(small);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].plugin, "Roomy");
  EXPECT_EQ(verdicts[0].reason, "not roomy");
  EXPECT_EQ(verdicts[0].code, Code::unresolvable);

  const auto scores = plugin.prepare_score(cluster, pods).evaluator;
  EXPECT_EQ(scores->score(large), 50);
  EXPECT_EQ(scores->score(small), 0);
}

TEST(PerNodeAdapter, skipsWhatThePluginDoesNotTakePartIn) {
  Cluster cluster;
  cluster.set_node(node("n"));
  const auto pods = cluster.class_of(cluster.set_pod(pod("p")));
  const PerNodeAdapter plugin("Idle", std::make_unique<PerNodePlugin>());
  EXPECT_EQ(plugin.prepare_filter(cluster, pods).verdict.code, Code::skip);
  EXPECT_EQ(plugin.prepare_score(cluster, pods).verdict.code, Code::skip);
}

}  // namespace
}  // namespace tutti::core
