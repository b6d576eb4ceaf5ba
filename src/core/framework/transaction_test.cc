#include "core/framework/transaction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

// Notes what it was asked; refuses the pod named "refused".
class Diary : public Plugin, public ReservePlugin {
 public:
  std::string_view name() const override { return "Diary"; }
  PluginStatus reserve(Cluster& cluster, PodId pod, NodeId) override {
    const std::string& name = cluster.pod(pod).object->meta.name;
    lines.push_back("+" + name);
    if (name == "refused") return {Code::unschedulable, "Diary", "no"};
    return {};
  }
  void unreserve(Cluster& cluster, PodId pod, NodeId) override {
    lines.push_back("-" + cluster.pod(pod).object->meta.name);
  }
  std::vector<std::string> lines;
};

class TransactionTest : public testing::Test {
 protected:
  TransactionTest() {
    diary_ = &test::enable(profile_, std::make_unique<Diary>(), profile_.reserve);
    n1_ = cluster_.set_node(node("n1"));
    n2_ = cluster_.set_node(node("n2"));
  }
  PodId add(const std::string& name) { return cluster_.set_pod(pod(name).cpu("1").host_port(80)); }

  Cluster cluster_;
  Profile profile_;
  Diary* diary_ = nullptr;
  NodeId n1_;
  NodeId n2_;
};

TEST_F(TransactionTest, leavesNoTraceUnlessCommitted) {
  const PodId a = add("a");
  {
    Transaction transaction(cluster_);
    EXPECT_TRUE(transaction.place(a, n1_, profile_).success());
    EXPECT_EQ(cluster_.resources().used(kCpu)[n1_.index], 1000);
    EXPECT_EQ(cluster_.check_consistency(), "");
  }
  EXPECT_FALSE(cluster_.pod(a).node.valid());
  EXPECT_EQ(cluster_.resources().used(kCpu)[n1_.index], 0);
  EXPECT_TRUE(cluster_.populations().special_on(n1_).empty());
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(TransactionTest, keepsCommittedPodsAssumed) {
  const PodId a = add("a");
  {
    Transaction transaction(cluster_);
    ASSERT_TRUE(transaction.place(a, n1_, profile_).success());
    transaction.commit();
  }
  EXPECT_EQ(cluster_.pod(a).node, n1_);
  EXPECT_TRUE(cluster_.pod(a).assumed);
  EXPECT_EQ(diary_->lines, (std::vector<std::string>{"+a"}));
}

TEST_F(TransactionTest, rollsBackToACheckpointInReverseOrder) {
  const PodId a = add("a");
  const PodId b = add("b");
  const PodId c = add("c");
  Transaction transaction(cluster_);
  ASSERT_TRUE(transaction.place(a, n1_, profile_).success());
  const auto after_a = transaction.checkpoint();
  ASSERT_TRUE(transaction.place(b, n2_, profile_).success());
  ASSERT_TRUE(transaction.place(c, n1_, profile_).success());
  transaction.roll_back(after_a);

  EXPECT_EQ(diary_->lines, (std::vector<std::string>{"+a", "+b", "+c", "-c", "-b"}));
  EXPECT_EQ(transaction.placed().size(), 1U);
  EXPECT_EQ(cluster_.pod(a).node, n1_);
  EXPECT_FALSE(cluster_.pod(b).node.valid());
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(TransactionTest, undoesThePlacementThatAReservePluginRefuses) {
  const PodId refused = add("refused");
  Transaction transaction(cluster_);
  const PluginStatus verdict = transaction.place(refused, n1_, profile_);

  EXPECT_EQ(verdict.reason, "no");
  EXPECT_EQ(diary_->lines, (std::vector<std::string>{"+refused", "-refused"}));
  EXPECT_EQ(transaction.checkpoint(), 0U);
  EXPECT_FALSE(cluster_.pod(refused).node.valid());
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(TransactionTest, givesBackACommittedPlacement) {
  const PodId a = add("a");
  Transaction transaction(cluster_);
  ASSERT_TRUE(transaction.place(a, n1_, profile_).success());
  transaction.commit();
  release_placement(cluster_, profile_, a);
  EXPECT_FALSE(cluster_.pod(a).node.valid());
  EXPECT_EQ(diary_->lines.back(), "-a");
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(TransactionTest, restoresEveryFigureAfterAnyWalk) {
  Random random(7);
  std::vector<PodId> pods;
  for (int i = 0; i < 12; ++i) {
    auto made = pod("p" + std::to_string(i)).cpu(std::to_string(1 + i % 3));
    if (i % 4 == 0) made.anti_affinity("kubernetes.io/hostname", "app", "x");
    if (i % 5 == 0) made.claim("data");
    pods.push_back(cluster_.set_pod(made.label("app", i % 2 == 0 ? "x" : "y")));
  }
  for (int walk = 0; walk < 200; ++walk) {
    Transaction transaction(cluster_);
    for (int step = 0; step < 20; ++step) {
      const PodId chosen = pods[random.below(pods.size())];
      if (random.below(4) == 0) {
        transaction.roll_back(random.below(transaction.checkpoint() + 1));
      } else if (!cluster_.pod(chosen).node.valid()) {
        ASSERT_TRUE(
            transaction.place(chosen, random.below(2) == 0 ? n1_ : n2_, profile_).success());
      }
      ASSERT_EQ(cluster_.check_consistency(), "");
    }
  }
  EXPECT_EQ(cluster_.resources().used(kPods)[n1_.index], 0);
  EXPECT_EQ(cluster_.populations().claim_users("t", "data"), 0U);
}

}  // namespace
}  // namespace tutti::core
