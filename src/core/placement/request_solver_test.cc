// The rules by which RequestSolver places a group that asks for levels or slices of the topology.
#include "core/placement/request_solver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/group_scene.h"

namespace tutti::core {
namespace {

using test::GangSpec;
using test::GroupScene;

// Rooms of two cores: rack r1 has four on two nodes, r2 one, r3 four on one node; r1 and r2 are a
// block.
constexpr const char* kRacks = "a:4@r1/b1 b:4@r1/b1 c:2@r2/b1 d:8@r3/b2";

TopologyRequest required(std::string key, std::string preferred = {}) {
  TopologyRequest made;
  made.required = std::move(key);
  made.preferred = std::move(preferred);
  return made;
}
TopologyRequest preferred(std::string key) { return required({}, std::move(key)); }
TopologyRequest unconstrained() {
  TopologyRequest made;
  made.unconstrained = true;
  return made;
}
TopologyRequest slices(std::string key, std::size_t size, std::string of = {}) {
  TopologyRequest made = required(std::move(of));
  made.slice_key = std::move(key);
  made.slice_size = size;
  return made;
}

struct RequestTrial {
  Solution solution;
  std::string where;
};

RequestTrial solve_request(GroupScene& scene, const Subtree& leaf, const TopologyRequest& request,
                           const Bitset& within) {
  LeafSolver leaf_solver(scene.cluster, scene.groups, scene.evaluations, scene.profile);
  RequestSolver solver(scene.cluster, scene.groups, scene.evaluations, scene.profile, leaf_solver);
  Transaction transaction(scene.cluster);
  SearchBudget budget(1'000'000);
  RequestTrial trial;
  trial.solution = solver.solve(transaction, leaf, request, within, budget);
  trial.where = scene.where(transaction.placed());
  return trial;
}

struct RequestRule {
  std::string_view name;
  std::string nodes;
  GangSpec gang;
  TopologyRequest request;
  Code code;
  std::string where;
  std::string says = {};
  std::optional<Concern> refused_by = {};
};

void expect_rule(const RequestRule& rule) {
  SCOPED_TRACE(rule.name);
  GroupScene scene;
  scene.nodes(rule.nodes);
  const Subtree leaf = scene.gang("g", rule.gang);
  const RequestTrial trial = solve_request(scene, leaf, rule.request, scene.cluster.nodes().live());
  EXPECT_EQ(trial.solution.code, rule.code) << trial.solution.message;
  EXPECT_EQ(trial.where, rule.where);
  EXPECT_EQ(trial.solution.message, rule.says);
  EXPECT_EQ(trial.solution.refused_by, rule.refused_by);
  EXPECT_EQ(scene.cluster.check_consistency(), "");
}

TEST(RequestSolver, laysOutAlikeMembersByTheseRules) {
  const RequestRule rules[] = {
      {"a required domain holds everybody who is placed",
       kRacks,
       {.minimum = 2, .cpus = "2 2 2 2 2"},
       required("rack"),
       Code::success,
       "g-0>a g-1>a g-2>b g-3>b"},
      {"more than any required domain holds are refused for the topology's sake",
       kRacks,
       {.minimum = 5, .cpus = "2 2 2 2 2"},
       required("rack"),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 5 members in one domain of rack; 4 fit",
       Concern::placement},
      {"more than all nodes hold are refused for want of room",
       kRacks,
       {.minimum = 10, .cpus = "2 2 2 2 2 2 2 2 2 2"},
       required("rack"),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 10 members in one domain of rack; 4 fit"},
      {"a preferred domain is left where it does not hold all",
       kRacks,
       {.minimum = 5, .cpus = "2 2 2 2 2"},
       preferred("rack"),
       Code::success,
       "g-0>a g-1>a g-2>b g-3>b g-4>c"},
      {"a node without the preferred label is used when nothing else is left",
       "a:4@r1 b:4",
       {.minimum = 4, .cpus = "2 2 2 2"},
       preferred("rack"),
       Code::success,
       "g-0>a g-1>a g-2>b g-3>b"},
      {"those that run say which required domain it is",
       kRacks,
       {.minimum = 3, .cpus = "2 2", .runs = "2@a"},
       required("rack"),
       Code::success,
       "g-0>b g-1>b"},
      {"those that run leave fewer to be placed",
       kRacks,
       {.minimum = 3, .cpus = "2 2 2 2", .runs = "2@a 2@b"},
       required("rack"),
       Code::success,
       "g-0>a g-1>b"},
      {"the answer counts how many more are needed",
       kRacks,
       {.minimum = 6, .cpus = "2 2 2 2 2", .runs = "2@a"},
       required("rack"),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 5 more members in one domain of rack; 3 fit",
       Concern::placement},
      {"slices stay in one domain each",
       "a:6@r1 b:6@r2",
       {.minimum = 4, .cpus = "2 2 2 2"},
       slices("rack", 2),
       Code::success,
       "g-0>a g-1>a g-2>b g-3>b"},
      {"what is left of a domain beside whole slices holds nobody",
       "a:6@r1 b:6@r2",
       {.minimum = 6, .cpus = "2 2 2 2 2 2"},
       slices("rack", 2),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 6 members in slices of 2, each in one domain of rack; 4 fit",
       Concern::placement},
      {"a minimum within a slice takes the whole slice",
       "a:2@r1 b:2@r2",
       {.minimum = 1, .cpus = "2 2"},
       slices("rack", 2),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 2 members in slices of 2, each in one domain of rack; 0 fit",
       Concern::placement},
      {"only whole slices are placed beyond the minimum",
       "a:6@r1",
       {.minimum = 2, .cpus = "2 2 2 2"},
       slices("rack", 2),
       Code::success,
       "g-0>a g-1>a"},
      {"all slices lie in the required domain around them",
       "a:4@r1/b1 b:4@r2/b2 c:4@r3/b2",
       {.minimum = 4, .cpus = "2 2 2 2"},
       slices("rack", 2, "block"),
       Code::success,
       "g-0>b g-1>b g-2>c g-3>c"},
  };
  for (const RequestRule& rule : rules) expect_rule(rule);
}

TEST(RequestSolver, searchesForUnlikeMembersByTheseRules) {
  const RequestRule rules[] = {
      {"the required domain that holds all of them",
       "a:4@r1 b:6@r2",
       {.minimum = 2, .cpus = "4 2"},
       required("rack"),
       Code::success,
       "g-0>b g-1>b"},
      {"no domain takes nodes of another",
       "a:4@r1 b:4@r2",
       {.minimum = 2, .cpus = "4 2"},
       required("rack"),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 2 members in one domain of rack; 1 fit"},
      {"the preferred domain before wider ones",
       "a:4@r1/b1 b:2@r2/b1 c:6@r3/b2",
       {.minimum = 2, .cpus = "4 2"},
       preferred("rack"),
       Code::success,
       "g-0>c g-1>c"},
      {"anywhere when no preferred domain holds all of them",
       "a:4@r1 b:2@r2",
       {.minimum = 2, .cpus = "4 2"},
       preferred("rack"),
       Code::success,
       "g-0>a g-1>b"},
      {"the required domain around a preferred one that holds too few",
       "a:4@r1/b1 b:1@r2/b1 c:4@r3/b2 d:2@r4/b2",
       {.minimum = 2, .cpus = "4 2"},
       required("block", "rack"),
       Code::success,
       "g-0>c g-1>d"},
      {"members beyond the minimum stay in the required domain",
       "a:5@r1 b:9@r2",
       {.minimum = 2, .cpus = "4 1 3 9"},
       required("rack"),
       Code::success,
       "g-1>a g-2>a"},
      {"a group of which nobody waits is refused without a look at its members",
       "a:4@r1",
       {.minimum = 2, .runs = "1@a"},
       required("rack"),
       Code::unschedulable,
       "",
       "PodGroup t/g needs 1 more members in one domain of rack; 0 fit"},
      {"a slice for each domain",
       "a:4@r1 b:6@r2",
       {.minimum = 4, .cpus = "4 2 2 2"},
       slices("rack", 2),
       Code::success,
       "g-0>b g-1>b g-2>a g-3>a"},
  };
  for (const RequestRule& rule : rules) expect_rule(rule);
}

TEST(RequestSolver, refusesRequestsThatMakeNoSenseByTheseRules) {
  const RequestRule rules[] = {
      {"a level that no node has",
       "a:4@r1",
       {.minimum = 1, .cpus = "1"},
       required("row"),
       Code::unschedulable,
       "",
       "no node has label row",
       Concern::placement},
      {"no level is needed to go anywhere",
       "a:4",
       {.minimum = 1, .cpus = "1"},
       unconstrained(),
       Code::success,
       "g-0>a"},
      {"members that run in two of the required domains",
       "a:4@r1 b:4@r2",
       {.minimum = 3, .cpus = "1", .runs = "1@a 1@b"},
       required("rack"),
       Code::error,
       "",
       "scheduled member g-r1 is in rack=r2 and others in r1",
       Concern::placement},
  };
  for (const RequestRule& rule : rules) expect_rule(rule);
}

TEST(RequestSolver, staysWithinTheNodesItWasGiven) {
  GroupScene scene;
  scene.nodes(kRacks);
  const Subtree leaf = scene.gang("g", {.minimum = 2, .cpus = "2 2"});
  EXPECT_EQ(solve_request(scene, leaf, required("rack"), scene.only("b c")).where, "g-0>b g-1>b");
}

TEST(RequestSolver, reportsOnEveryRequiredDomain) {
  GroupScene scene;
  scene.nodes(kRacks);
  const Subtree leaf = scene.gang("g", {.minimum = 5, .cpus = "2 2 2 2 2"});
  const Solution solution =
      solve_request(scene, leaf, required("rack"), scene.cluster.nodes().live()).solution;
  std::string text;
  for (const auto& report : solution.placements) {
    text += report.value + ":" + std::to_string(report.fit) + " ";
    EXPECT_EQ(report.needed, 5U);
  }
  EXPECT_EQ(text, "r1:4 r2:1 r3:4 ");
}

}  // namespace
}  // namespace tutti::core
