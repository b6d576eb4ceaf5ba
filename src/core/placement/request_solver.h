// RequestSolver: places one PodGroup whose members ask for levels or slices of the topology.
//
// Identical members that only compete for resources are counted and laid out by BestFit, which
// keeps large domains whole and neighbours in rank near each other. Others are searched for, from
// the preferred level outwards.
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/profile.h"
#include "core/packing/search_budget.h"
#include "core/placement/leaf_solver.h"
#include "core/placement/solution.h"
#include "core/placement/task.h"
#include "core/placement/tree_search.h"
#include "core/topology/best_fit.h"
#include "core/topology/levels.h"
#include "core/topology/topology_request.h"

namespace tutti::core {

class RequestSolver {
 public:
  RequestSolver(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
                const Profile& profile, LeafSolver& leaf_solver)
      : cluster_(cluster),
        groups_(groups),
        evaluations_(evaluations),
        profile_(profile),
        leaf_solver_(leaf_solver) {}

  // As GroupSolver::solve, for a leaf. `within` is what its own key and its parents leave it.
  Solution solve(Transaction& transaction, const Subtree& leaf, const TopologyRequest& request,
                 const Bitset& within, SearchBudget& budget);

 private:
  bool only_counting(const TopologyRequest& request) const;
  std::optional<Solution> count(Transaction& transaction);
  Solution search(Transaction& transaction, SearchBudget& budget);
  Search search_outwards(Transaction& transaction, const Task& task, SearchBudget& budget);
  void add_slices(Transaction& transaction, const Task& task, SearchBudget& budget);
  BestFitOptions options() const;
  // Whether nobody limits the nodes, so that what is kept about whole domains holds.
  bool everywhere() const { return within_ == &cluster_.nodes().live(); }
  std::shared_ptr<const LevelCapacity> count_levels(const std::shared_ptr<const LevelTree>& tree,
                                                    ClassCapacity& room) const;
  bool surely_too_little(ClassCapacity& room) const;
  Solution too_little(const BestFit* fit, ClassCapacity& room);
  std::vector<PlacementReport> reports(const BestFit* fit, ClassCapacity& room) const;
  Solution finish(Transaction& transaction, const Placement* area, SearchBudget* budget);
  Placement required_area() const;
  std::string shortage(std::size_t capacity) const;
  std::size_t fit_in_order();
  std::size_t needed() const;

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  LeafSolver& leaf_solver_;
  // What the solve() under way is about.
  const Subtree* leaf_ = nullptr;
  const TopologyRequest* request_ = nullptr;
  const Bitset* within_ = nullptr;
  Levels levels_;
  std::vector<PodId> scheduled_;
  Competition competition_;  // what ruled out the search for members pinned to nodes
};

}  // namespace tutti::core
