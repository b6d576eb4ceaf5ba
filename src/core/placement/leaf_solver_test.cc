// The rules by which LeafSolver places the members of one group.
#include "core/placement/leaf_solver.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "core/placement/fit_message.h"
#include "support/group_scene.h"

namespace tutti::core {
namespace {

using test::GangSpec;
using test::GroupScene;

// What trying the members of one leaf came to, and where they are.
struct Trial {
  LeafResult result;
  std::string where;
  std::size_t left_on_nodes = 0;  // once the transaction is undone
};

Trial solve_leaf(GroupScene& scene, const Subtree& leaf, const Bitset* within = nullptr,
                 std::size_t steps = 1'000'000) {
  LeafSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile);
  Trial trial;
  {
    Transaction transaction(scene.cluster);
    SearchBudget budget(steps);
    trial.result = solver.solve(transaction, leaf.group, leaf.members, within, budget);
    trial.where = scene.where(transaction.placed());
  }
  for (const PodId pod : leaf.members) trial.left_on_nodes += scene.cluster.pod(pod).node.valid();
  return trial;
}

TEST(LeafSolver, placesAGangByTheseRules) {
  struct Rule {
    std::string_view name;
    std::string nodes;
    GangSpec gang;
    Code code;
    std::string where;
    std::size_t fit;  // members that the answer says would fit
    Search search = Search::not_needed;
  };
  const Rule rules[] = {
      {"members beyond the minimum come along as they fit",
       "a:3",
       {.minimum = 2, .cpus = "1 1 1 1"},
       Code::success,
       "g-0>a g-1>a g-2>a",
       3},
      {"below its minimum nobody is placed, and the answer counts who would have fitted",
       "a:2",
       {.minimum = 3, .cpus = "1 1 1"},
       Code::unschedulable,
       "",
       2},
      {"a gang that can never reach its minimum is still counted to the end",
       "a:1 b:1",
       {.minimum = 5, .cpus = "1 1 1"},
       Code::unschedulable,
       "",
       2},
      {"those that run count towards the minimum",
       "a:2",
       {.minimum = 2, .cpus = "1", .runs = "1@a"},
       Code::success,
       "g-0>a",
       1},
      {"where enough run, placing nobody is no success",
       "a:1",
       {.minimum = 1, .cpus = "1", .runs = "1@a"},
       Code::unschedulable,
       "",
       0},
      {"of a basic group whoever fits is placed",
       "a:2",
       {.minimum = 1, .cpus = "2 2", .gang = false},
       Code::success,
       "g-0>a",
       1},
      {"the node that scores best is taken",
       "a:4 b:8",
       {.minimum = 2, .cpus = "4 4"},
       Code::success,
       "g-0>a g-1>b",
       2},
      {"unlike members are searched when their order misses the way",
       "a:6 b:4 c:4",
       {.minimum = 4, .cpus = "4 4 3 3"},
       Code::success,
       "g-0>b g-1>c g-2>a g-3>a",
       4,
       Search::found},
      {"what the search found is completed by those who fit beside it",
       "a:6 b:4 c:4 d:1",
       {.minimum = 5, .cpus = "4 4 3 3 1 7"},
       Code::success,
       "g-0>b g-1>c g-2>a g-3>a g-4>d",
       5,
       Search::found},
      {"the search says that there is no way",
       "a:5 b:5",
       {.minimum = 3, .cpus = "4 3 3"},
       Code::unschedulable,
       "",
       2,
       Search::impossible},
      {"alike members fit one by one or not at all: nothing is searched",
       "a:5 b:5",
       {.minimum = 3, .cpus = "3 3 3"},
       Code::unschedulable,
       "",
       2},
      {"nothing is searched for a group of which enough run",
       "a:1",
       {.minimum = 1, .cpus = "2 3", .runs = "1@a"},
       Code::unschedulable,
       "",
       0},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    GroupScene scene;
    scene.nodes(rule.nodes);
    const Subtree leaf = scene.gang("g", rule.gang);
    const Trial trial = solve_leaf(scene, leaf);
    EXPECT_EQ(trial.result.attempt.code, rule.code) << trial.result.attempt.message;
    EXPECT_EQ(trial.where, rule.where);
    EXPECT_EQ(trial.result.attempt.placed, rule.fit);
    EXPECT_EQ(trial.result.attempt.search, rule.search);
    const std::size_t unplaced =
        rule.code == Code::success ? leaf.members.size() - rule.fit : leaf.members.size();
    EXPECT_EQ(trial.result.unplaced.size(), unplaced);
    EXPECT_EQ(trial.left_on_nodes, 0U);
    EXPECT_EQ(scene.cluster.check_consistency(), "");
  }
}

TEST(LeafSolver, saysThatItsBudgetEnded) {
  GroupScene scene;
  scene.nodes("a:7 b:7 c:7 d:7 e:7");
  const Subtree leaf = scene.gang("g", {.minimum = 10, .cpus = "5 4 4 4 3 3 3 3 2 4"});
  const Trial trial = solve_leaf(scene, leaf, nullptr, 2);
  EXPECT_EQ(trial.result.attempt.search, Search::exhausted);
  EXPECT_NE(trial.result.attempt.message.find(kBudgetEnded), std::string::npos);
}

TEST(LeafSolver, staysWithinTheNodesItWasGiven) {
  GroupScene scene;
  scene.nodes("a:2 b:8");
  const Subtree leaf = scene.gang("g", {.minimum = 1, .cpus = "1 1 1"});
  const Bitset only_a = scene.only("a");
  EXPECT_EQ(solve_leaf(scene, leaf, &only_a).where, "g-0>a g-1>a");
}

TEST(LeafSolver, triesTheNominatedNodeFirstWhereThePodMayGo) {
  struct Rule {
    std::string_view name;
    std::string nominated, within, where;
  };
  const Rule rules[] = {
      {"the nominated node goes before the one that scores better", "a", "a b", "p>a"},
      {"a nominated node that is too full does not", "full", "a b full", "p>b"},
      {"a nominated node outside the nodes that are allowed does not", "a", "b", "p>b"},
      {"a nominated node that is gone does not", "gone", "a b", "p>b"},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    GroupScene scene;
    scene.nodes("a:4 b:8 full:1");
    scene.cluster.set_pod(test::pod("other").cpu("2").on("a"));
    auto nominated = std::make_shared<model::Pod>(*test::pod("p").cpu("2").build());
    nominated->status.nominated_node = rule.nominated;
    Subtree lone;
    lone.members = {scene.cluster.set_pod(nominated)};
    const Bitset within = scene.only(rule.within);
    EXPECT_EQ(solve_leaf(scene, lone, &within).where, rule.where);
  }
}

// Refuses to hold anything for pods of a name.
class Refuser : public Plugin, public ReservePlugin {
 public:
  std::string_view name() const override { return "Refuser"; }
  PluginStatus reserve(Cluster& cluster, PodId pod, NodeId) override {
    const bool ours = cluster.pod(pod).object->meta.name == "g-1";
    return ours ? PluginStatus{code, name(), "holds nothing for it"} : PluginStatus{};
  }
  void unreserve(Cluster&, PodId, NodeId) override {}
  Code code = Code::unschedulable;
};

TEST(LeafSolver, countsWhatAReservePluginSaysAmongTheReasons) {
  GroupScene scene;
  test::enable(scene.profile, std::make_unique<Refuser>(), scene.profile.reserve);
  scene.nodes("a:4");
  const Trial trial = solve_leaf(scene, scene.gang("g", {.minimum = 1, .cpus = "1 1"}));
  EXPECT_EQ(trial.where, "g-0>a");
  ASSERT_EQ(trial.result.attempt.classes.size(), 1U);
  const auto& reasons = trial.result.attempt.classes[0].diagnosis.reasons;
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].reason, "holds nothing for it");
}

TEST(LeafSolver, givesUpWhenAPluginFails) {
  GroupScene scene;
  auto& refuser = test::enable(scene.profile, std::make_unique<Refuser>(), scene.profile.reserve);
  refuser.code = Code::error;
  scene.nodes("a:4");
  const Trial trial = solve_leaf(scene, scene.gang("g", {.minimum = 1, .cpus = "1 1"}));
  EXPECT_EQ(trial.result.attempt.code, Code::error);
  EXPECT_EQ(trial.where, "");
}

TEST(LeafSolver, asksTheStrictestPluginWhetherAMinimumCanBeReached) {
  struct Rule {
    std::string_view name;
    bool lone;
    std::size_t scheduled, remaining;
    Feasibility answer;
  };
  constexpr Rule kRules[] = {
      {"a lone pod that is placed needs nobody else", true, 1, 0, Feasibility::feasible},
      {"a lone pod that was not tried may be placed yet", true, 0, 1, Feasibility::undecided},
      {"a lone pod that was tried is not", true, 0, 0, Feasibility::infeasible},
      {"a gang with its minimum stands", false, 2, 1, Feasibility::feasible},
      {"a gang that may reach it is undecided", false, 1, 1, Feasibility::undecided},
      {"a gang that cannot is out", false, 1, 0, Feasibility::infeasible},
  };
  GroupScene scene;
  const GroupId gang = scene.gang("g", {.minimum = 2}).group;
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.name);
    EXPECT_EQ(feasibility(scene.profile, scene.groups, rule.lone ? GroupId{} : gang, rule.scheduled,
                          rule.remaining),
              rule.answer);
  }
}

TEST(LeafSolver, completesALeafWithThoseThatFitOnItsNodes) {
  GroupScene scene;
  scene.nodes("a:2 b:8");
  const Subtree leaf = scene.gang("g", {.minimum = 1, .cpus = "1 1 1"});
  LeafSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile);
  Transaction transaction(scene.cluster);
  transaction.place(leaf.members[1], *scene.cluster.nodes().find("a"), scene.profile);
  const Bitset only_a = scene.only("a");
  const LeafResult result = solver.complete(transaction, leaf.group, leaf.members, &only_a);
  EXPECT_EQ(scene.where(transaction.placed()), "g-0>a g-1>a");
  EXPECT_EQ(result.attempt.placed, 2U);
  ASSERT_EQ(result.unplaced.size(), 1U);
  EXPECT_EQ(scene.name_of(result.unplaced[0].pod), "g-2");
}

TEST(LeafSolver, completesALeafWithoutTryingTheOthers) {
  GroupScene scene;
  scene.nodes("a:8");
  const Subtree leaf = scene.gang("g", {.minimum = 1, .cpus = "1 1 1"});
  LeafSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile);
  Transaction transaction(scene.cluster);
  transaction.place(leaf.members[0], *scene.cluster.nodes().find("a"), scene.profile);
  const LeafResult result = solver.complete(leaf.group, leaf.members,
                                            {Code::unschedulable, "Slices", "no room for a slice"});
  EXPECT_EQ(scene.where(transaction.placed()), "g-0>a");
  EXPECT_EQ(result.attempt.placed, 1U);
  EXPECT_EQ(result.unplaced.size(), 2U);
  ASSERT_EQ(result.attempt.classes.size(), 1U);
  EXPECT_EQ(result.attempt.classes[0].pods, 3U);
  EXPECT_EQ(result.attempt.classes[0].placed, 1U);
}

TEST(LeafSolver, tellsWhoFindsNoNodeFromWhoWaitsForTheGroup) {
  GroupScene scene;
  scene.nodes("a:4 b:4");
  const Subtree leaf = scene.gang("g", {.minimum = 3, .cpus = "2 9 2"});
  LeafSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile);
  const LeafResult result = solver.refuse(leaf, nullptr, 2, "too little");
  ASSERT_EQ(result.unplaced.size(), 3U);
  EXPECT_EQ(result.unplaced[0].report, Unplaced::kGroup);
  EXPECT_EQ(result.unplaced[1].report, 0U);
  EXPECT_EQ(result.unplaced[2].report, Unplaced::kGroup);
  EXPECT_EQ(result.attempt.placed, 2U);
  EXPECT_EQ(result.attempt.message, "too little");
}

}  // namespace
}  // namespace tutti::core
