#include "core/topology/level_capacity.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;

const std::vector<std::string> kLevels = {"block", "rack"};

// Up to 30 nodes in blocks of up to 3 racks; some lack a label.
void make_nodes(Cluster& cluster, Random& random) {
  const std::uint64_t count = 5 + random.below(26);
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::uint64_t rack = random.below(8);
    auto made = node("n" + std::to_string(n));
    if (random.below(8) != 0) made.label("rack", "r" + std::to_string(rack));
    if (random.below(8) != 0) made.label("block", "b" + std::to_string(rack / 3));
    cluster.set_node(made);
  }
}

// Adds up one by one: pods of every domain, and slices at and above the level they stay in.
struct Sums {
  Sums(const Cluster& cluster, const Slicing& slicing, std::span<const std::uint32_t> room) {
    std::map<std::uint32_t, std::uint32_t> block_of;
    std::map<std::uint32_t, std::size_t> in_rack;
    for (std::uint32_t n = 0; n < room.size(); ++n) {
      const std::uint32_t block = cluster.labels().domains("block").domain_of[n];
      const std::uint32_t rack = cluster.labels().domains("rack").domain_of[n];
      if (block == DomainColumn::kNone || rack == DomainColumn::kNone) continue;
      pods[{0, block}] += room[n];
      pods[{1, rack}] += room[n];
      in_rack[rack] += room[n];
      block_of[rack] = block;
      if (slicing.level == 2) slices[{1, rack}] += room[n];
      if (slicing.level == 2) slices[{0, block}] += room[n];
    }
    for (const auto& [rack, count] : in_rack) {
      if (slicing.level == 2) continue;
      slices[{1, rack}] = count / slicing.size;
      if (slicing.level == 1) slices[{0, block_of[rack]}] += count / slicing.size;
    }
    for (const auto& [where, count] : pods) {
      if (slicing.level == 0 && where.first == 0) slices[where] = count / slicing.size;
    }
    for (const auto& [where, count] : slices) all += where.first == 0 ? count : 0;
  }
  using Where = std::pair<std::size_t, std::uint32_t>;
  std::map<Where, std::size_t> pods;
  std::map<Where, std::size_t> slices;
  std::size_t all = 0;
};

void expect_equal(const LevelCapacity& room, const Sums& sums) {
  for (const auto& [where, count] : sums.pods) {
    ASSERT_EQ(room.pods(where.first, where.second), count);
  }
  for (const auto& [where, count] : sums.slices) {
    ASSERT_EQ(room.slices(where.first, where.second), count);
  }
  ASSERT_EQ(room.all_slices(), sums.all);
}

TEST(LevelCapacity, isWhatCountingAnewWouldGiveAfterEveryChange) {
  for (const Slicing slicing : {Slicing{2, 1}, Slicing{1, 3}, Slicing{0, 4}}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " slices at " << slicing.level);
      Random random(seed);
      Cluster cluster;
      make_nodes(cluster, random);
      std::vector<std::uint32_t> room(cluster.nodes().slots());
      for (auto& here : room) here = static_cast<std::uint32_t>(random.below(6));
      LevelCapacity levels(std::make_shared<const LevelTree>(cluster, kLevels), slicing,
                           cluster.nodes().live(), room);
      for (int step = 0; step < 50; ++step) {
        expect_equal(levels, Sums(cluster, slicing, room));
        const auto n = static_cast<std::uint32_t>(random.below(room.size()));
        const auto now = static_cast<std::uint32_t>(random.below(6));
        levels.change(n, room[n], now);
        room[n] = now;
      }
    }
  }
}

TEST(LevelCapacity, countsOnlyTheNodesItIsTold) {
  Cluster cluster;
  cluster.set_node(node("a").label("block", "b").label("rack", "r"));
  cluster.set_node(node("b").label("block", "b").label("rack", "r"));
  Bitset within(2);
  within.set(1);
  const std::vector<std::uint32_t> room = {5, 7};
  const LevelCapacity levels(std::make_shared<const LevelTree>(cluster, kLevels), {2, 1}, within,
                             room);
  EXPECT_EQ(levels.pods(0, 0), 7U);
}

TEST(LevelTree, listsWhatLiesInEachDomain) {
  Cluster cluster;
  cluster.set_node(node("a").label("block", "b1").label("rack", "r1"));
  cluster.set_node(node("b").label("block", "b1").label("rack", "r2"));
  cluster.set_node(node("c").label("block", "b2").label("rack", "r3"));
  cluster.set_node(node("d").label("block", "b1").label("rack", "r2"));
  cluster.set_node(node("loose").label("rack", "r1"));
  const LevelTree tree(cluster, kLevels);
  const auto list = [](std::span<const std::uint32_t> all) {
    return std::vector<std::uint32_t>(all.begin(), all.end());
  };
  EXPECT_EQ(list(tree.children(0, 0)), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(list(tree.children(0, 1)), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(list(tree.children(1, 1)), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(list(tree.children(1, 0)), (std::vector<std::uint32_t>{0}));
  EXPECT_FALSE(tree.holds(4));
  EXPECT_TRUE(tree.nested());
}

TEST(LevelTree, noticesADomainInTwoWiderOnes) {
  Cluster cluster;
  cluster.set_node(node("a").label("block", "b1").label("rack", "r1"));
  cluster.set_node(node("b").label("block", "b2").label("rack", "r1"));
  EXPECT_FALSE(LevelTree(cluster, kLevels).nested());
}

}  // namespace
}  // namespace tutti::core
