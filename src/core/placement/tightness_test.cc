#include "core/placement/tightness.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/cluster/cluster.h"
#include "support/build.h"

namespace tutti::core {
namespace {

// Nodes of random size; pods of one core and two gigabytes come and go.
class TightnessTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kNodes = 40;

  TightnessTest() {
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      // Names in another order than ids.
      const std::uint32_t name = (i * 17) % kNodes;
      cluster_.set_node(test::node("n" + std::to_string(100 + name))
                            .cpu(std::to_string(8 + random_.below(3)))
                            .memory(std::to_string(16 + random_.below(9)) + "Gi")
                            .build());
    }
    sample_ = add_pod();
  }

  PodId add_pod() {
    const std::string name = "p" + std::to_string(pods_++);
    return cluster_.set_pod(test::pod(name).cpu("1").memory("2Gi").build());
  }
  const PodShape& shape() const { return cluster_.shape(cluster_.pod(sample_).shape); }
  NodeId any_node() { return {static_cast<std::uint32_t>(random_.below(kNodes))}; }
  std::vector<NodeId> from_nothing(const Bitset& nodes) const {
    return Tightness(cluster_, shape(), nullptr).order(nodes);
  }

  Random random_{7};
  Cluster cluster_;
  PodId sample_;
  int pods_ = 0;
};

TEST_F(TightnessTest, putsNodesFirstThatAreLeftWithTheLeast) {
  const NodeId fuller = any_node();
  for (int i = 0; i < 6; ++i) cluster_.place(add_pod(), fuller);

  EXPECT_EQ(from_nothing(cluster_.nodes().live()).front(), fuller);
}

TEST_F(TightnessTest, keepsTheOrderWhilePodsComeAndGo) {
  Tightness kept(cluster_, shape(), nullptr);
  std::vector<PodId> placed;
  for (int step = 0; step < 400; ++step) {
    NodeId moved = any_node();
    if (placed.empty() || random_.below(3) > 0) {
      placed.push_back(add_pod());
      cluster_.place(placed.back(), moved);
    } else {
      moved = cluster_.pod(placed.back()).node;
      cluster_.take_off(placed.back());
      placed.pop_back();
    }
    kept.moved(moved);
    Bitset asked = cluster_.nodes().live();
    asked.reset(any_node().index);
    ASSERT_EQ(kept.order(asked), from_nothing(asked)) << "after step " << step;
  }
}

TEST_F(TightnessTest, movesOnlyNodesThatAreInQuestion) {
  Bitset few(cluster_.nodes().live().size());
  for (const std::uint32_t node : {3U, 5U, 8U}) few.set(node);
  Tightness kept(cluster_, shape(), &few);
  (void)kept.order(few);
  (void)kept.order(few);
  cluster_.place(add_pod(), {4});
  kept.moved({4});
  cluster_.place(add_pod(), {5});
  kept.moved({5});

  EXPECT_EQ(kept.order(few), from_nothing(few));
}

}  // namespace
}  // namespace tutti::core
