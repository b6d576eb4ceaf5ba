// Cycle: one attempt at an entity, from a consistent picture to a decision.
//
//   check the members agree ─> for each candidate placement: place members in order, test the
//   group's minimum after each ─> choose the best placement ─> commit, or leave no trace
//
// Lone pods take the same road as a group of one.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/attempt.h"
#include "core/framework/transaction.h"
#include "core/placement/solution.h"
#include "core/queue/queue.h"

namespace tutti::core {

struct CycleResult {
  Attempt attempt;                         // of the entity as a whole
  std::vector<LeafResult> leaves;          // in tree order
  std::vector<ProposedPod> placed;         // committed to the cluster; empty unless success
  std::vector<const Plugin*> rejected_by;  // of a lone pod
};

class Cycle {
 public:
  Cycle(Cluster& cluster, const GroupTable& groups, std::size_t search_budget)
      : cluster_(cluster), groups_(groups), evaluations_(cluster), search_budget_(search_budget) {}

  // `leaf_of` names the PodGroup of every member.
  CycleResult run(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of,
                  Instant now);
  // The entity's groups with its waiting members, in the order they are tried; out of its roster if
  // that is current.
  Subtree tree_of(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of) const;
  EvaluationCache& evaluations() { return evaluations_; }
  std::size_t search_budget() const { return search_budget_; }
  // The thinking of run(): on success the transaction holds the placements of the tree.
  Solution solve(Transaction& transaction, const Entity& entity, const Subtree& tree);

 private:
  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache evaluations_;
  std::size_t search_budget_;
};

}  // namespace tutti::core
