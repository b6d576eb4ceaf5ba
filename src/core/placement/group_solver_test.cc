// The rules by which GroupSolver places a tree of groups.
#include "core/placement/group_solver.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/group_scene.h"

namespace tutti::core {
namespace {

using test::GangSpec;
using test::GroupScene;

using MakeGroups = std::function<Subtree(GroupScene&)>;

struct GroupTrial {
  Solution solution;
  std::string where;
};

GroupTrial solve_groups(GroupScene& scene, const Subtree& tree, const Bitset* within = nullptr) {
  GroupSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile, 1'000'000);
  Transaction transaction(scene.cluster);
  GroupTrial trial;
  trial.solution = solver.solve(transaction, tree, within);
  trial.where = scene.where(transaction.placed());
  return trial;
}

MakeGroups one(GangSpec spec) {
  return [=](GroupScene& scene) { return scene.gang("g", spec); };
}

// Gangs "x", "y", "z" of "root", which needs `minimum` of them.
MakeGroups several(std::int32_t minimum, std::vector<GangSpec> gangs) {
  return [=](GroupScene& scene) {
    std::vector<Subtree> children;
    for (std::size_t i = 0; i < gangs.size(); ++i) {
      GangSpec spec = gangs[i];
      spec.parent = "root";
      children.push_back(scene.gang(std::string(1, static_cast<char>('x' + i)), spec));
    }
    return scene.composite("root", minimum, std::move(children));
  };
}

struct GroupRule {
  std::string_view name;
  std::string nodes;
  MakeGroups make;
  Code code;
  std::string where;
  std::string says = {};  // the message begins so
  Search search = Search::not_needed;
};

void expect_rule(const GroupRule& rule) {
  SCOPED_TRACE(rule.name);
  GroupScene scene;
  scene.nodes(rule.nodes);
  const Subtree tree = rule.make(scene);
  const GroupTrial trial = solve_groups(scene, tree);
  EXPECT_EQ(trial.solution.code, rule.code) << trial.solution.message;
  EXPECT_EQ(trial.where, rule.where);
  EXPECT_EQ(trial.solution.message.substr(0, rule.says.size()), rule.says);
  Search search = Search::not_needed;
  for (const auto& leaf : trial.solution.leaves) search = std::max(search, leaf.attempt.search);
  EXPECT_EQ(search, rule.search);
  EXPECT_EQ(scene.cluster.check_consistency(), "");
}

TEST(GroupSolver, putsAGroupIntoOneOfItsDomainsByTheseRules) {
  const GroupRule rules[] = {
      {"of equal domains the first by name is taken", "b:4@r2 a:4@r1",
       one({.minimum = 2, .cpus = "2 2", .key = "rack"}), Code::success, "g-0>a g-1>a"},
      {"alike members go where all of the minimum fit", "a:2@r1 b:4@r2",
       one({.minimum = 2, .cpus = "2 2", .key = "rack"}), Code::success, "g-0>b g-1>b"},
      {"unlike members go where all of the minimum fit", "a:3@r1 b:4@r2",
       one({.minimum = 2, .cpus = "3 1", .key = "rack"}), Code::success, "g-0>b g-1>b"},
      {"no domain takes nodes of another", "a:2@r1 b:2@r2",
       one({.minimum = 2, .cpus = "2 2", .key = "rack"}), Code::unschedulable, "",
       "none of the 2 domains of rack can hold the group; rack=r1: PodGroup t/g needs 2 members "
       "at once, 1 fit"},
      {"unlike members that no domain holds are refused likewise", "a:3@r1 b:2@r2",
       one({.minimum = 2, .cpus = "3 1", .key = "rack"}), Code::unschedulable, "",
       "none of the 2 domains of rack can hold the group; rack=r1: PodGroup t/g needs 2 members "
       "at once, 1 fit",
       Search::impossible},
      {"a group without a key goes anywhere", "a:2@r1 b:2@r2", one({.minimum = 2, .cpus = "2 2"}),
       Code::success, "g-0>a g-1>b"},
      {"a key that no node has leaves no placement", "a:4",
       one({.minimum = 1, .cpus = "1", .key = "rack"}), Code::unschedulable, "",
       "no placement exists for the group"},
      {"those that run say which domain it is", "a:4@r1 b:4@r2",
       one({.minimum = 2, .cpus = "1", .key = "rack", .runs = "1@b"}), Code::success, "g-0>b"},
      {"those that run in two domains are an error", "a:4@r1 b:4@r2",
       one({.minimum = 3, .cpus = "1", .key = "rack", .runs = "1@a 1@b"}), Code::error, "",
       "scheduled member"},
      {"a basic group goes where most of it fits", "a:1@r1 b:3@r2",
       one({.minimum = 1, .cpus = "1 2", .key = "rack", .gang = false}), Code::success,
       "g-0>b g-1>b"},
  };
  for (const GroupRule& rule : rules) expect_rule(rule);
}

TEST(GroupSolver, letsACompositeStandByTheseRules) {
  const GroupRule rules[] = {
      {"later children see what earlier ones took", "a:4 b:4",
       several(2, {{.cpus = "4"}, {.cpus = "4"}}), Code::success, "x-0>a y-0>b"},
      {"it stands when enough children do", "a:4 b:4", several(1, {{.cpus = "9"}, {.cpus = "4"}}),
       Code::success, "y-0>a"},
      {"children beyond its minimum come along", "a:4 b:4",
       several(1, {{.cpus = "4"}, {.cpus = "4"}}), Code::success, "x-0>a y-0>b"},
      {"below its minimum nobody is placed", "a:4 b:4", several(2, {{.cpus = "4"}, {.cpus = "9"}}),
       Code::unschedulable, "",
       "1 of 2 needed child groups of CompositePodGroup t/root fit; PodGroup t/y needs 1 member at "
       "once, 0 fit",
       Search::impossible},
      {"a child of which enough run stands, whatever becomes of those that wait", "a:4 b:4",
       several(2, {{.cpus = "9", .runs = "1@a"}, {.cpus = "4"}}), Code::success, "y-0>b"},
      {"where it stands already, placing nobody is no success", "a:4",
       several(1, {{.cpus = "9", .runs = "1@a"}}), Code::unschedulable, "",
       "PodGroup t/x: no waiting member fits", Search::impossible},
      {"a member that runs outside its domain is an error for all", "a:4@r1 b:4@r2",
       several(2, {{.cpus = "1"}, {.minimum = 3, .cpus = "1", .key = "rack", .runs = "1@a 1@b"}}),
       Code::error, "", "scheduled member"},
  };
  for (const GroupRule& rule : rules) expect_rule(rule);
}

TEST(GroupSolver, assignsChildrenTogetherWhereOneAfterAnotherFails) {
  const GroupRule rules[] = {
      {"a child leaves the first domain to the one that needs it", "a:8@r1 b:4@r2",
       several(2, {{.cpus = "4", .key = "rack"}, {.cpus = "8", .key = "rack"}}), Code::success,
       "x-0>b y-0>a", "", Search::found},
      {"members beyond the minimum join where the others of their group are", "a:8@r1 b:5@r2 c:9",
       several(2, {{.cpus = "4 1", .key = "rack"}, {.cpus = "8", .key = "rack"}}), Code::success,
       "x-0>b x-1>b y-0>a", "", Search::found},
      {"a group that was left out comes along where it fits", "a:8@r1 b:4@r2 d:2",
       several(3, {{.cpus = "1", .runs = "1@d"},
                   {.cpus = "4", .key = "rack"},
                   {.cpus = "8", .key = "rack"}}),
       Code::success, "x-0>d y-0>b z-0>a", "", Search::found},
      {"that there is no way is proven", "a:6@r1 b:6@r2",
       several(3, {{.minimum = 2, .cpus = "2 2", .key = "rack"},
                   {.minimum = 2, .cpus = "2 2", .key = "rack"},
                   {.minimum = 2, .cpus = "2 2", .key = "rack"}}),
       Code::unschedulable, "", "2 of 3 needed child groups of CompositePodGroup t/root fit",
       Search::impossible},
  };
  for (const GroupRule& rule : rules) expect_rule(rule);
}

TEST(GroupSolver, staysWithinTheNodesItWasGiven) {
  GroupScene scene;
  scene.nodes("a:4@r1 b:4@r2");
  const Subtree leaf = scene.gang("g", {.minimum = 1, .cpus = "1", .key = "rack"});
  const Bitset only_b = scene.only("b");
  EXPECT_EQ(solve_groups(scene, leaf, &only_b).where, "g-0>b");
}

TEST(GroupSolver, namesTheDomainAndReportsOnEachOfThem) {
  GroupScene scene;
  scene.nodes("a:2@r1 b:4@r2");
  const Subtree leaf = scene.gang("g", {.minimum = 2, .cpus = "2 2", .key = "rack"});
  const Solution solution = solve_groups(scene, leaf).solution;
  EXPECT_EQ(solution.placement, "rack=r2");
  EXPECT_EQ(solution.leaves.front().attempt.placement, "rack=r2");
  ASSERT_EQ(solution.placements.size(), 2U);
  EXPECT_EQ(solution.placements[0].fit, 1U);
  EXPECT_EQ(solution.placements[0].needed, 2U);
  EXPECT_EQ(solution.placements[1].fit, 2U);
}

// More nodes are better, and nobody can tell before members are placed.
class Largest : public Plugin, public PlacementScorePlugin {
 public:
  std::string_view name() const override { return "Largest"; }
  std::int64_t score(const Cluster&, const GroupTable&, GroupId, const Placement& placement,
                     std::span<const ProposedPod> proposed) const override {
    EXPECT_FALSE(proposed.empty());
    return static_cast<std::int64_t>(placement.nodes.count());
  }
};

TEST(GroupSolver, takesTheDomainThatPluginsScoreBest) {
  GroupScene scene;
  test::enable(scene.profile, std::make_unique<Largest>(), scene.profile.placement_score);
  scene.nodes("a:4@r1 b:4@r2 c:4@r2 d:4@r3");
  const Subtree leaf = scene.gang("g", {.minimum = 1, .cpus = "1", .key = "rack"});
  EXPECT_EQ(solve_groups(scene, leaf).where, "g-0>b");
}

}  // namespace
}  // namespace tutti::core
