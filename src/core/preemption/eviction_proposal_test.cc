#include "core/preemption/eviction_proposal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/build.h"
#include "support/fake_filters.h"

namespace tutti::core {
namespace {

constexpr std::size_t kRackCount = 4;
constexpr std::size_t kNodes = 12;

// Nodes in racks with pods of all sizes on them, some of which fall together, and members alike.
class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {
    for (std::size_t n = 0; n < kNodes; ++n) {
      cluster_.set_node(test::node(fmt::format("n{}", n))
                            .cpu(fmt::format("{}", 4 + random_.below(5)))
                            .memory("64Gi")
                            .pods("20"));
    }
    for (std::size_t i = 0, count = 10 + random_.below(30); i < count; ++i) add_victim(i);
    const std::size_t members = 1 + random_.below(8);
    const auto cpu = fmt::format("{}", 1 + random_.below(4));
    const auto memory = fmt::format("{}Gi", 1 + random_.below(20));
    for (std::size_t i = 0; i < members; ++i) {
      members_.push_back(
          cluster_.set_pod(test::pod(fmt::format("m{}", i)).cpu(cpu).memory(memory).build()));
    }
  }

  Bitset rack(std::size_t index) const {
    Bitset nodes(cluster_.nodes().slots());
    for (std::size_t n = index; n < kNodes; n += kRackCount) nodes.set(n);
    return nodes;
  }
  Cluster& cluster() { return cluster_; }
  const VictimTable& victims() const { return victims_; }
  const std::vector<PodId>& members() const { return members_; }

 private:
  // Alone, or one more pod of the unit before.
  void add_victim(std::size_t index) {
    const auto node = fmt::format("n{}", random_.below(kNodes));
    const auto pod = cluster_.set_pod(test::pod(fmt::format("v{}", index))
                                          .cpu(fmt::format("{}00m", random_.below(30)))
                                          .memory(fmt::format("{}Gi", random_.below(30)))
                                          .on(node)
                                          .build());
    const bool together = !victims_.units.empty() && random_.below(4) == 0;
    if (!together) {
      VictimUnit unit;
      unit.priority = static_cast<std::int32_t>(random_.below(3));
      unit.cost = static_cast<std::int64_t>(random_.below(3) * random_.below(10));
      unit.first_pod = static_cast<std::uint32_t>(victims_.pods.size());
      if (random_.below(3) == 0) tie(unit);
      victims_.units.push_back(unit);
    }
    victims_.pods.push_back(pod);
    ++victims_.units.back().pod_count;
  }

  // Into the last gang, or into one of its own.
  void tie(VictimUnit& unit) {
    if (victims_.bonds.empty() || random_.below(3) == 0) {
      Bond bond;
      bond.spare = static_cast<std::int64_t>(random_.below(3));
      bond.whole = random_.below(2) == 0;
      bond.stalls = !bond.whole;
      victims_.bonds.push_back(bond);
    }
    unit.bond = static_cast<std::uint32_t>(victims_.bonds.size() - 1);
    unit.counts = true;
    victims_.bonds.back().units.push_back(static_cast<std::uint32_t>(victims_.units.size()));
  }

  Random random_;
  Cluster cluster_;
  VictimTable victims_;
  std::vector<PodId> members_;
};

std::vector<std::optional<EvictionProposal::Room>> rooms_of(EvictionProposal& maker,
                                                            const RandomScene& scene) {
  std::vector<std::optional<EvictionProposal::Room>> rooms;
  for (std::size_t i = 0; i < kRackCount; ++i) {
    const Bitset nodes = scene.rack(i);
    rooms.push_back(maker.make(&nodes, nullptr));
  }
  return rooms;
}

void expect_equal(const EvictionProposal::Room& a, const EvictionProposal::Room& b) {
  EXPECT_EQ(a.units, b.units);
  EXPECT_EQ(a.members, b.members);
  EXPECT_TRUE(a.harm == b.harm);
}

TEST(EvictionProposal, needsNobodyAwayWhereOnlyResourcesCount) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomScene scene(seed);
    EvaluationCache evaluations(scene.cluster());
    const Profile profile;
    ASSERT_TRUE(
        EvictionProposal::only_counts(scene.cluster(), profile, scene.victims(), scene.members()));
    const GroupTable groups;
    LiftedVictims absence(scene.cluster(), groups, scene.victims());
    const auto make = [&] {
      EvictionProposal maker(scene.cluster(), evaluations, profile, scene.victims(), absence,
                             scene.members());
      return rooms_of(maker, scene);
    };
    const auto staying = make();
    absence.everyone();
    const auto away = make();
    for (std::size_t i = 0; i < kRackCount; ++i) {
      ASSERT_EQ(staying[i].has_value(), away[i].has_value());
      if (staying[i]) expect_equal(*staying[i], *away[i]);
    }
  }
}

// Asked about nodes as they are, the filter would close every full one.
TEST(EvictionProposal, countsInsteadOfAskingAFilterThatSaysItLooksAtResourcesOnly) {
  std::size_t closed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomScene scene(seed);
    const GroupTable groups;
    const LiftedVictims staying(scene.cluster(), groups, scene.victims());
    const auto rooms = [&](const Profile& profile) {
      EvaluationCache evaluations(scene.cluster());
      EvictionProposal maker(scene.cluster(), evaluations, profile, scene.victims(), staying,
                             scene.members());
      return rooms_of(maker, scene);
    };
    Profile saying;
    test::add_filter<test::FakeFilter>(saying, "Own", Concern::resources, test::judge_resources);
    Profile silent;
    test::add_filter<test::FakeFilter>(silent, "Own", Concern::nodes, test::judge_resources);
    const auto bare = rooms({});
    const auto counted = rooms(saying);
    const auto asked = rooms(silent);
    for (std::size_t i = 0; i < kRackCount; ++i) {
      ASSERT_EQ(counted[i].has_value(), bare[i].has_value());
      if (bare[i]) expect_equal(*counted[i], *bare[i]);
      closed += bare[i] && !asked[i];
    }
  }
  EXPECT_GT(closed, 0U);
}

TEST(EvictionProposal, passesOverExactlyTheRacksThatAreNoBetter) {
  std::size_t passed_over = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomScene scene(seed);
    EvaluationCache evaluations(scene.cluster());
    const Profile profile;
    const GroupTable groups;
    LiftedVictims absence(scene.cluster(), groups, scene.victims());
    absence.everyone();
    EvictionProposal maker(scene.cluster(), evaluations, profile, scene.victims(), absence,
                           scene.members());
    const auto alone = rooms_of(maker, scene);
    for (const auto& best : alone) {
      if (!best || best->members < scene.members().size()) continue;
      for (std::size_t i = 0; i < kRackCount; ++i) {
        const Bitset nodes = scene.rack(i);
        const auto made = maker.make(&nodes, &*best);
        const bool better = alone[i] && alone[i]->harm < best->harm;
        ASSERT_EQ(made.has_value(), better);
        passed_over += better ? 0 : 1;
        if (!better) continue;
        expect_equal(*made, *alone[i]);
      }
    }
  }
  EXPECT_GT(passed_over, 100U);
}

}  // namespace
}  // namespace tutti::core
