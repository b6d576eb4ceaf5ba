#include "core/cycle/cycle.h"

#include <algorithm>
#include <utility>

#include "core/placement/group_solver.h"
#include "core/queue/agreement.h"
#include "core/queue/group_cache.h"

namespace tutti::core {
namespace {

LeafReport report_on_leaf(const LeafResult& leaf) {
  const Attempt& attempt = leaf.attempt;
  return {leaf.leaf,      attempt.message, attempt.minimum, attempt.running,   attempt.tried,
          attempt.placed, attempt.search,  attempt.classes, attempt.placements};
}

// The entity's attempt out of its leaves'; takes the reports on placements.
Attempt summary_of(Solution& solution, std::size_t tried, Instant now) {
  Attempt attempt;
  attempt.at = now;
  attempt.code = solution.code;
  if (solution.code == Code::error) attempt.cause = Attempt::Cause::request;
  attempt.message = solution.message;
  attempt.tried = tried;
  attempt.placements = std::move(solution.placements);
  attempt.placement = solution.placement;
  attempt.refused_by = solution.refused_by;
  for (const auto& leaf : solution.leaves) {
    attempt.minimum += leaf.attempt.minimum;
    attempt.running += leaf.attempt.running;
    attempt.placed += leaf.attempt.placed;
    attempt.search = std::max(attempt.search, leaf.attempt.search);
    attempt.classes.insert(attempt.classes.end(), leaf.attempt.classes.begin(),
                           leaf.attempt.classes.end());
    if (solution.leaves.size() > 1) attempt.leaves.push_back(report_on_leaf(leaf));
  }
  return attempt;
}

}  // namespace

Subtree Cycle::tree_of(const Entity& entity,
                       const std::unordered_map<PodId, GroupId>& leaf_of) const {
  const GroupCache* known = current_roster(groups_, entity);
  return known != nullptr ? known->tree : grow_tree(cluster_, groups_, entity, leaf_of);
}

CycleResult Cycle::run(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of,
                       Instant now) {
  const Subtree tree = tree_of(entity, leaf_of);
  Transaction transaction(cluster_);
  Solution solution = solve(transaction, entity, tree);

  CycleResult result;
  result.attempt = summary_of(solution, entity.members.size(), now);
  result.leaves = std::move(solution.leaves);
  for (auto& leaf : result.leaves) leaf.attempt.at = now;
  if (solution.success()) {
    const auto placed = transaction.placed();
    result.placed.assign(placed.begin(), placed.end());
    transaction.commit();
  } else if (entity.lone() && solution.code == Code::unschedulable) {
    result.rejected_by =
        evaluations_.get(*entity.profile, cluster_.class_of(entity.pod)).rejecting_plugins();
  }
  return result;
}

Solution Cycle::solve(Transaction& transaction, const Entity& entity, const Subtree& tree) {
  Solution solution;
  const GroupCache* known = current_roster(groups_, entity);
  solution.message =
      known != nullptr ? known->disagreement : disagreement(cluster_, groups_, entity);
  if (!solution.message.empty()) {
    solution.code = Code::error;
    refuse_leaves(tree, solution.code, solution.message, solution.leaves);
    return solution;
  }
  const auto& own = entity.profile->topology.search_budget;
  GroupSolver solver(cluster_, groups_, evaluations_, *entity.profile,
                     own ? static_cast<std::size_t>(*own) : search_budget_);
  const auto before = transaction.checkpoint();
  solution = solver.solve(transaction, tree, nullptr);
  if (solution.success() && transaction.checkpoint() == before) solution.code = Code::unschedulable;
  return solution;
}

}  // namespace tutti::core
