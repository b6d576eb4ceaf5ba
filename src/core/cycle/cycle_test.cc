#include "core/cycle/cycle.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;
using test::pod_group;

class CycleTest : public testing::Test {
 protected:
  void gang(std::int32_t minimum) {
    entity_.root = groups_.set(pod_group("g").gang(minimum));
    entity_.name = "t/g";
    entity_.profile = &profile_;
  }
  PodId add(const std::string& name, const std::string& cpu) {
    const PodId id = cluster_.set_pod(pod(name).cpu(cpu).group("g"));
    groups_.add_pod(entity_.root, id, GroupTable::Membership::pending);
    entity_.members.emplace(id, Member{.pod = id, .joined = 0, .added = {}});
    leaf_of_[id] = entity_.root;
    return id;
  }
  CycleResult run() { return Cycle(cluster_, groups_, 1000).run(entity_, leaf_of_, {}); }

  Cluster cluster_;
  GroupTable groups_;
  Profile profile_ = test::small_profile();
  Entity entity_;
  std::unordered_map<PodId, GroupId> leaf_of_;
};

TEST_F(CycleTest, commitsAGangThatFits) {
  cluster_.set_node(node("n1").cpu("2"));
  gang(2);
  const PodId a = add("a", "1");
  const PodId b = add("b", "1");
  const CycleResult result = run();
  EXPECT_EQ(result.attempt.code, Code::success);
  EXPECT_EQ(result.placed.size(), 2U);
  EXPECT_TRUE(cluster_.pod(a).assumed);
  EXPECT_TRUE(cluster_.pod(b).assumed);
}

TEST_F(CycleTest, leavesTheClusterAsItWasWhenAGangDoesNotFit) {
  const NodeId n1 = cluster_.set_node(node("n1").cpu("2"));
  gang(3);
  add("a", "1");
  add("b", "1");
  add("c", "1");
  const CycleResult result = run();
  EXPECT_EQ(result.attempt.code, Code::unschedulable);
  EXPECT_TRUE(result.placed.empty());
  EXPECT_EQ(cluster_.resources().used(kCpu)[n1.index], 0);
  ASSERT_EQ(result.leaves.size(), 1U);
  EXPECT_EQ(result.leaves[0].unplaced.size(), 3U);
  EXPECT_EQ(cluster_.check_consistency(), "");
}

TEST_F(CycleTest, placesSurplusMembersAsTheyFitAndReportsTheRest) {
  cluster_.set_node(node("n1").cpu("3"));
  gang(2);
  for (const auto* name : {"a", "b", "c", "d"}) add(name, "1");
  const CycleResult result = run();
  EXPECT_EQ(result.attempt.code, Code::success);
  EXPECT_EQ(result.placed.size(), 3U);
  ASSERT_EQ(result.leaves[0].unplaced.size(), 1U);
  EXPECT_EQ(cluster_.pod(result.leaves[0].unplaced[0].pod).object->meta.name, "d");
}

TEST_F(CycleTest, countsMembersThatRunAlready) {
  cluster_.set_node(node("n1").cpu("2"));
  gang(2);
  const PodId running = cluster_.set_pod(pod("running").cpu("1").group("g").on("n1"));
  groups_.add_pod(entity_.root, running, GroupTable::Membership::assigned);
  add("late", "1");
  const CycleResult result = run();
  EXPECT_EQ(result.attempt.code, Code::success);
  EXPECT_EQ(result.attempt.running, 1U);
}

TEST_F(CycleTest, callsItUnschedulableWhenASatisfiedGroupPlacesNobody) {
  cluster_.set_node(node("n1").cpu("1"));
  gang(1);
  const PodId running = cluster_.set_pod(pod("running").cpu("1").group("g").on("n1"));
  groups_.add_pod(entity_.root, running, GroupTable::Membership::assigned);
  add("late", "1");
  EXPECT_EQ(run().attempt.code, Code::unschedulable);
}

TEST_F(CycleTest, searchesWhenTryingInOrderMissesAPlacement) {
  for (const auto* cpu : {"6", "4", "4"}) {
    cluster_.set_node(node("n" + std::to_string(cluster_.nodes().count())).cpu(cpu));
  }
  gang(4);
  add("a", "4");
  add("b", "4");
  add("c", "3");
  add("d", "3");
  const CycleResult result = run();
  EXPECT_EQ(result.attempt.code, Code::success);
  EXPECT_EQ(result.attempt.search, Search::found);
}

}  // namespace
}  // namespace tutti::core
