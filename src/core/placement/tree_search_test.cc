// The rules by which TreeSearch gives the parts of a tree their domains.
#include "core/placement/tree_search.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/topology/topology_cache.h"
#include "support/group_scene.h"

namespace tutti::core {
namespace {

using test::GroupScene;

using MakeTree = std::function<Subtree(GroupScene&)>;

// Searches the whole cluster for the tree.
class TreeTrial {
 public:
  TreeTrial(const std::string& nodes, const MakeTree& make, std::size_t steps = 1'000'000)
      : budget_(steps) {
    scene.nodes(nodes);
    tree_ = make(scene);
    task = make_task(scene.cluster, scene.groups, topology_, tree_);
    search_.emplace(scene.cluster, scene.groups, scene.evaluations, scene.profile, budget_);
    answer = search_->run(transaction_, task, scene.cluster.nodes().live());
  }
  std::string where() const { return scene.where(transaction_.placed()); }
  // The nodes of the child's area, "-" for one that was left out.
  std::string area_of(std::size_t child) const {
    const Bitset* nodes = search_->area_of(task.children[child]);
    if (nodes == nullptr) return "-";
    std::string text;
    nodes->for_each_set(
        [&](std::size_t i) { text += scene.cluster.node_name({static_cast<std::uint32_t>(i)}); });
    return text;
  }

  GroupScene scene;
  Task task;
  Search answer = Search::not_needed;

 private:
  Subtree tree_;
  TopologyCache topology_;
  SearchBudget budget_;
  Transaction transaction_{scene.cluster};
  std::optional<TreeSearch> search_;
};

// Gangs "x", "y", "z" of one composite that needs `minimum` of them.
MakeTree composite_of(std::int32_t minimum, std::vector<test::GangSpec> gangs,
                      std::string key = {}) {
  return [=](GroupScene& scene) {
    std::vector<Subtree> children;
    for (std::size_t i = 0; i < gangs.size(); ++i) {
      test::GangSpec spec = gangs[i];
      spec.parent = "root";
      children.push_back(scene.gang(std::string(1, static_cast<char>('x' + i)), spec));
    }
    return scene.composite("root", minimum, std::move(children), key);
  };
}

TEST(TreeSearch, choosesDomainsByTheseRules) {
  struct Rule {
    std::string_view name;
    std::string nodes;
    MakeTree tree;
    Search answer;
    std::string where;
  };
  const Rule rules[] = {
      {"the tightest domain that holds a task goes first", "a:8@r1 b:4@r2 c:6@r3",
       composite_of(1, {{.minimum = 2, .cpus = "2 2", .key = "rack"}}), Search::found,
       "x-0>b x-1>b"},
      {"a domain that holds too few is passed over", "a:3@r1 b:4@r2",
       composite_of(1, {{.minimum = 2, .cpus = "2 2", .key = "rack"}}), Search::found,
       "x-0>b x-1>b"},
      {"siblings that compete for the tightest domain share the domains out", "a:4@r1 b:8@r2",
       composite_of(2, {{.minimum = 1, .cpus = "4", .key = "rack"},
                        {.minimum = 1, .cpus = "8", .key = "rack"}}),
       Search::found, "x-0>a y-0>b"},
      {"an earlier child gives up its first choice for a later one", "a:5@r1 b:4@r2",
       composite_of(2, {{.minimum = 1, .cpus = "4", .key = "rack"},
                        {.minimum = 5, .cpus = "1 1 1 1 1", .key = "rack"}}),
       Search::found, "x-0>b y-0>a y-1>a y-2>a y-3>a y-4>a"},
      {"a domain takes no more than all of its tasks together may ask", "a:6@r1 b:6@r2",
       composite_of(3, {{.minimum = 2, .cpus = "2 2", .key = "rack"},
                        {.minimum = 2, .cpus = "2 2", .key = "rack"},
                        {.minimum = 2, .cpus = "2 2", .key = "rack"}}),
       Search::impossible, ""},
      {"equal siblings may take the same domain", "a:8@r1 b:1@r2",
       composite_of(2, {{.minimum = 2, .cpus = "2 2", .key = "rack"},
                        {.minimum = 2, .cpus = "2 2", .key = "rack"}}),
       Search::found, "x-0>a x-1>a y-0>a y-1>a"},
      {"children beyond the minimum stay out", "a:4@r1 b:4@r2",
       composite_of(1, {{.minimum = 1, .cpus = "4", .key = "rack"},
                        {.minimum = 1, .cpus = "4", .key = "rack"}}),
       Search::found, "x-0>a"},
      {"a child that fits nowhere is left out for another", "a:4@r1 b:4@r2",
       composite_of(1, {{.minimum = 1, .cpus = "9", .key = "rack"},
                        {.minimum = 1, .cpus = "4", .key = "rack"}}),
       Search::found, "y-0>a"},
      {"a child that stands brings the minimum nearer without taking part", "a:4@r1 b:4@r2",
       composite_of(2, {{.minimum = 1, .cpus = "1", .key = "rack", .runs = "1@a"},
                        {.minimum = 1, .cpus = "4", .key = "rack"}}),
       Search::found, "y-0>b"},
      {"members that wait go to the domain of those that run", "a:6@r1 b:9@r2",
       composite_of(1, {{.minimum = 3, .cpus = "3 3", .key = "rack", .runs = "1@b"}}),
       Search::found, "x-0>b x-1>b"},
      {"a root that stands grows by a child", "a:4@r1 b:4@r2",
       composite_of(1, {{.minimum = 1, .cpus = "9", .runs = "1@a"},
                        {.minimum = 1, .cpus = "4", .key = "rack"}}),
       Search::found, "y-0>b"},
      {"a domain of a child lies inside the one of its parent", "a:4@r1/b1 b:4@r2/b2 c:4@r3/b2",
       composite_of(
           2,
           {{.minimum = 1, .cpus = "4", .key = "rack"}, {.minimum = 1, .cpus = "4", .key = "rack"}},
           "block"),
       Search::found, "x-0>b y-0>c"},
      {"without a domain of the parent that holds all there is no way",
       "a:4@r1/b1 b:4@r2/b2 c:4@r3/b3",
       composite_of(
           2,
           {{.minimum = 1, .cpus = "4", .key = "rack"}, {.minimum = 1, .cpus = "4", .key = "rack"}},
           "block"),
       Search::impossible, ""},
  };
  for (const Rule& rule : rules) {
    SCOPED_TRACE(rule.name);
    const TreeTrial trial(rule.nodes, rule.tree);
    EXPECT_EQ(trial.answer, rule.answer);
    EXPECT_EQ(trial.where(), rule.where);
  }
}

TEST(TreeSearch, knowsTheAreaOfWhoTakesPart) {
  const TreeTrial trial("a:4@r1 b:2@r2 c:2@r2",
                        composite_of(2, {{.minimum = 2, .cpus = "2 2", .key = "rack"},
                                         {.minimum = 1, .cpus = "4", .key = "rack"},
                                         {.minimum = 1, .cpus = "1", .key = "rack"}}));
  ASSERT_EQ(trial.answer, Search::found);
  EXPECT_EQ(trial.area_of(0), "a");
  EXPECT_EQ(trial.area_of(1), "-");
  EXPECT_EQ(trial.area_of(2), "bc");
}

TEST(TreeSearch, rulesOutByCountingWithoutPlacingAPod) {
  const MakeTree three = composite_of(3, {{.minimum = 2, .cpus = "2 2", .key = "rack"},
                                          {.minimum = 2, .cpus = "2 2", .key = "rack"},
                                          {.minimum = 2, .cpus = "2 2", .key = "rack"}});
  // Domains of equal siblings in order: 2 + 2 + 1 + 1 + 1 of them are looked at, 50 steps each.
  EXPECT_EQ(TreeTrial("a:6@r1 b:6@r2", three, 500).answer, Search::impossible);
}

TEST(TreeSearch, leavesTheTransactionAsItWasWhenItsBudgetEnds) {
  const TreeTrial trial("a:4@r1 b:8@r2",
                        composite_of(2, {{.minimum = 1, .cpus = "4", .key = "rack"},
                                         {.minimum = 1, .cpus = "8", .key = "rack"}}),
                        60);
  EXPECT_EQ(trial.answer, Search::exhausted);
  EXPECT_EQ(trial.where(), "");
}

}  // namespace
}  // namespace tutti::core
