// GroupSolver: places a tree of groups inside a transaction, or says why that cannot be done.
//
// First as Kubernetes does it: a group with a topology constraint is tried in each of its candidate
// placements and keeps the best feasible one; a composite solves its children one after another
// inside its placement, so that later ones see the earlier, and stands when enough of them do. When
// that fails although children compete for domains, all of them are assigned together
// (tree_search.h).
#pragma once

#include "base/std.h"
#include "core/packing/search_budget.h"
#include "core/placement/leaf_solver.h"
#include "core/placement/request_solver.h"
#include "core/placement/solution.h"
#include "core/placement/task.h"
#include "core/placement/tree_search.h"

namespace tutti::core {

class GroupSolver {
 public:
  // `search_budget` in steps, for each call of solve().
  GroupSolver(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
              const Profile& profile, std::size_t search_budget)
      : cluster_(cluster),
        groups_(groups),
        evaluations_(evaluations),
        profile_(profile),
        search_budget_(search_budget),
        leaf_solver_(cluster, groups, evaluations, profile),
        request_solver_(cluster, groups, evaluations, profile, leaf_solver_) {}

  // Places enough of the tree's waiting members on top of what the transaction holds already, with
  // as many others as fit, on nodes of `within` (null: all). Anything but success leaves the
  // transaction as it was.
  Solution solve(Transaction& transaction, const Subtree& tree, const Bitset* within);

 private:
  // What is wrong with a group of the tree, whatever room there is; success if nothing.
  PluginStatus objection(const Subtree& tree, const Task& task);
  PluginStatus objection_to_requests(const Subtree& tree);

  // One group after another. `budget` is for the exact search of single leaves.
  Solution visit(Transaction& transaction, const Subtree& tree, const Bitset* within,
                 SearchBudget& budget);
  Solution visit_in(Transaction& transaction, const Subtree& tree, const Bitset* within,
                    SearchBudget& budget);
  Solution visit_leaf(Transaction& transaction, const Subtree& tree, const Bitset* within,
                      SearchBudget& budget);
  Solution visit_composite(Transaction& transaction, const Subtree& tree, const Bitset* within,
                           SearchBudget& budget);
  Solution choose(Transaction& transaction, const Subtree& tree,
                  const std::vector<Placement>& placements, SearchBudget& budget);
  std::optional<Solution> choose_counted(Transaction& transaction, const Subtree& tree,
                                         const std::vector<Placement>& placements,
                                         SearchBudget& budget);
  Solution choose_tried(Transaction& transaction, const Subtree& tree,
                        const std::vector<Placement>& placements, SearchBudget& budget);
  std::size_t held(const Subtree& tree, const Placement& placement, std::size_t placed);
  std::vector<std::int64_t> scores(const Subtree& tree, const Placement& placement,
                                   std::span<const ProposedPod> proposed) const;
  Solution settled(Solution solution, const Placement& taken,
                   std::vector<PlacementReport> reports) const;
  Solution refused(Solution failure, const std::vector<Placement>& placements,
                   std::vector<PlacementReport> reports) const;
  Result<TopologyRequest> request_of(const Subtree& tree) const;

  // All groups together. `failed` is what visiting came to.
  Solution search_jointly(Transaction& transaction, const Subtree& tree, const Task& root,
                          const Bitset* within, SearchBudget& budget, Solution failed);
  void complete(Transaction& transaction, const Subtree& tree, const Task& task,
                const TreeSearch& search, const Bitset* around, SearchBudget& budget,
                Solution& into);
  LeafResult complete_leaf(Transaction& transaction, const Subtree& leaf, const Task& task,
                           const TreeSearch& search, SearchBudget& budget);

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  std::size_t search_budget_;
  LeafSolver leaf_solver_;
  RequestSolver request_solver_;
};

}  // namespace tutti::core
