// RequestSolver: places one PodGroup whose members ask for levels or slices of the topology.
//
// Identical members that only compete for resources are counted and laid out by BestFit, which
// keeps large domains whole and neighbours in rank near each other. Others are searched for, from
// the preferred level outwards.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/best_fit.h"
#include "core/evaluation.h"
#include "core/groups.h"
#include "core/leaf_solver.h"
#include "core/levels.h"
#include "core/profile.h"
#include "core/search_budget.h"
#include "core/solution.h"
#include "core/task.h"
#include "core/topology_request.h"
#include "core/tree_search.h"

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
  bool everywhere() const { return within_ == &cluster_.live_nodes(); }
  std::shared_ptr<const LevelRoom> count_levels(const std::shared_ptr<const LevelTree>& tree,
                                                ClassRoom& room) const;
  bool surely_too_little(ClassRoom& room) const;
  Solution too_little(const BestFit* fit, ClassRoom& room);
  std::vector<PlacementReport> reports(const BestFit* fit, ClassRoom& room) const;
  Solution finish(Transaction& transaction, const Placement* area);
  Placement required_area() const;
  std::string shortage(std::size_t capacity) const;
  std::size_t fit_in_order();
  std::size_t needed() const;

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  LeafSolver& leaf_solver_;
  // Of the solve() under way.
  const Subtree* leaf_ = nullptr;
  const TopologyRequest* request_ = nullptr;
  const Bitset* within_ = nullptr;
  Levels levels_;
  std::vector<PodId> scheduled_;
  Competition competition_;  // what ruled out the search for members pinned to nodes
};

}  // namespace tutti::core
