#include "explain/findings/node_stock.h"

#include <gtest/gtest.h>

#include "core/cluster/cluster.h"
#include "support/build.h"

namespace tutti::explain {
namespace {

class StockTest : public ::testing::Test {
 protected:
  StockTest() {
    for (const char* name : {"a", "b", "c"}) {
      cluster_.set_node(test::node(name).cpu("8").memory("16Gi").build());
    }
    cluster_.set_pod(test::pod("runs").cpu("6").on("a").build());
  }

  const core::PodShape& shape_of(const char* name, const char* cpu) {
    const core::PodId pod = cluster_.set_pod(test::pod(name).cpu(cpu).build());
    return cluster_.shape(cluster_.pod(pod).shape);
  }

  core::Cluster cluster_;
};

TEST_F(StockTest, sumsUpWhatNodesHaveFreeAndWhatTheyHaveWhenEmpty) {
  NodeStock stock(cluster_);
  const Bitset& all = cluster_.nodes().live();

  EXPECT_EQ(stock.of(all, Room::free, core::kCpu).total, 18'000);
  EXPECT_EQ(stock.of(all, Room::free, core::kCpu).most, 8'000);
  EXPECT_EQ(stock.of(all, Room::empty, core::kCpu).total, 24'000);
}

TEST_F(StockTest, tellsSetsOfNodesApart) {
  NodeStock stock(cluster_);
  Bitset first(cluster_.nodes().live().size());
  first.set(cluster_.nodes().find("a")->index);

  EXPECT_EQ(stock.of(cluster_.nodes().live(), Room::free, core::kCpu).total, 18'000);
  EXPECT_EQ(stock.of(first, Room::free, core::kCpu).total, 2'000);
}

TEST_F(StockTest, countsPodsAndTheNodesThatHaveRoomForThem) {
  NodeStock stock(cluster_);
  const core::PodShape& three = shape_of("three", "3");
  const core::PodShape& five = shape_of("five", "5");
  const core::PodShape& nine = shape_of("nine", "9");
  const Bitset& all = cluster_.nodes().live();

  EXPECT_EQ(stock.free_room(all, three).pods, 4U);
  EXPECT_EQ(stock.free_room(all, three).nodes, 2U);
  EXPECT_FALSE(stock.free_room(all, three).one_each);
  EXPECT_EQ(stock.free_room(all, five).pods, 2U);
  EXPECT_TRUE(stock.free_room(all, five).one_each);
  EXPECT_EQ(stock.free_room(all, nine).pods, 0U);
}

}  // namespace
}  // namespace tutti::explain
