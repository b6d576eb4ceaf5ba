#include "explain/findings/unit.h"

#include <gtest/gtest.h>

#include <memory>

#include "explain/explain.h"
#include "explain/test_stage.h"

namespace tutti::explain {
namespace {

using test::kNoCpu;
using Stage = test::VerdictStage;
using Membership = core::GroupTable::Membership;

core::GroupId make_set(Stage& stage, bool gang, std::int32_t minimum) {
  auto set = std::make_shared<model::CompositePodGroup>();
  set->meta.ns = "t";
  set->meta.name = "set";
  set->spec.policy = {gang, minimum};
  return stage.groups.set(std::shared_ptr<const model::CompositePodGroup>(set));
}

// Two gangs of four that come as they fit; the first runs on n1, the second waits.
core::GroupId set_of_two(Stage& stage) {
  const auto root = make_set(stage, false, 1);
  for (const std::string name : {"set-0", "set-1"}) {
    const auto leaf = stage.groups.set(test::pod_group(name).gang(4).parent("set").build());
    for (int i = 0; i < 4; ++i) {
      auto like = test::pod(name + "-" + std::to_string(i)).cpu("2").group(name);
      const bool runs = name == "set-0";
      stage.groups.add_pod(leaf, stage.pod(runs ? like.on("n1") : like),
                           runs ? Membership::assigned : Membership::pending);
    }
  }
  return root;
}

core::Attempt refused_replica(Stage& stage, std::size_t placed) {
  const auto leaf = *stage.groups.find("t", "set-1", false);
  core::Attempt attempt = stage.refused(*stage.groups[leaf].pending.begin(), {kNoCpu}, placed);
  attempt.leaves.push_back({*stage.groups.find("t", "set-0", false), "", 4, 4, 0, 0, {}, {}, {}});
  attempt.leaves.push_back(
      {leaf, "refused", 4, 0, 4, placed, core::Search::not_needed, attempt.classes, {}});
  return attempt;
}

TEST(Unit, ofASetThatRunsInPartTheUnitThatWaitsSpeaks) {
  Stage stage;
  stage.cluster.set_node(test::node("n1").cpu("8"));
  stage.cluster.set_node(test::node("n2").cpu("4"));
  const auto root = set_of_two(stage);
  const auto leaf = *stage.groups.find("t", "set-1", false);
  const core::PodId first = *stage.groups[leaf].pending.begin();
  stage.attempts[first] = refused_replica(stage, 2);
  const std::string why =
      "needs 4 pods of 2 cpu at once; 2 fit now (1 node has room), 2 more need 2 cpu each on one "
      "node";
  const std::vector<Amount> need{{"members", "4"}, {"cpu", "8"}};
  const std::vector<Amount> have{{"members", "2"}, {"cpu", "4"}};

  const auto of_set = explain_group(stage.sources(), root);
  EXPECT_EQ(of_set.state, State::waiting);
  EXPECT_EQ(of_set.blocker, Blocker::capacity);
  EXPECT_EQ(of_set.summary, "1 of 2 groups runs; set-1: " + why);
  EXPECT_EQ(of_set.need, need);
  EXPECT_EQ(of_set.have, have);

  const auto of_unit = explain_group(stage.sources(), leaf);
  EXPECT_EQ(of_unit.summary, why);
  EXPECT_EQ(of_unit.need, need);

  const auto of_pod = explain_pod(stage.sources(), first);
  EXPECT_EQ(of_pod.blocker, Blocker::capacity);
  EXPECT_EQ(of_pod.summary, why);
  EXPECT_EQ(of_pod.need, need);
  EXPECT_EQ(of_pod.have, have);
}

TEST(Unit, aUnitThatLacksMembersIsHeldThoughOthersRun) {
  Stage stage;
  stage.cluster.set_node(test::node("n1").cpu("8"));
  const auto root = set_of_two(stage);
  const auto leaf = *stage.groups.find("t", "set-1", false);
  stage.groups.remove_pod(leaf, *stage.groups[leaf].pending.rbegin());
  const auto verdict = explain_group(stage.sources(), root);
  EXPECT_EQ(verdict.state, State::held);
  EXPECT_EQ(verdict.blocker, Blocker::incomplete);
  EXPECT_EQ(verdict.summary,
            "1 of 2 groups runs; set-1: 3 of 4 members of PodGroup t/set-1 exist; 1 more pod is "
            "needed");
}

TEST(Unit, whatRunsBeyondItsMinimumIsNotCountedOnEmptyNodes) {
  Stage stage;
  stage.cluster.set_node(test::node("n1").cpu("10"));
  stage.cluster.set_node(test::node("n2").cpu("6"));
  const auto root = set_of_two(stage);
  make_set(stage, true, 2);
  const auto leaf = *stage.groups.find("t", "set-0", false);
  stage.groups.add_pod(leaf, stage.pod(test::pod("set-0-4").cpu("2").group("set-0").on("n1")),
                       Membership::assigned);
  const auto waiting = *stage.groups.find("t", "set-1", false);
  stage.attempts[*stage.groups[waiting].pending.begin()] = refused_replica(stage, 3);
  const auto verdict = explain_group(stage.sources(), root);
  EXPECT_EQ(verdict.state, State::waiting);  // 8 of 9 pods would do, and 8 fit
  EXPECT_EQ(verdict.need, (std::vector<Amount>{{"members", "8"}, {"cpu", "8"}}));
  EXPECT_EQ(verdict.have, (std::vector<Amount>{{"members", "7"}, {"cpu", "6"}}));
}

}  // namespace
}  // namespace tutti::explain
