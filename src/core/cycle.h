// Cycle: one attempt at an entity, from a consistent picture to a decision.
//
//   check the members agree ─> for each candidate placement: place members in order, test the
//   group's minimum after each ─> choose the best placement ─> commit, or leave no trace
//
// Lone pods take the same road as a group of one. When placing members in order fails although
// members differ or depend on each other, the exact search has the last word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "core/attempt.h"
#include "core/cluster.h"
#include "core/evaluation.h"
#include "core/groups.h"
#include "core/queue.h"
#include "core/transaction.h"

namespace tutti::core {

// A member that got no node, and why: an index into the attempt's class reports, or kGroup when
// only the group's minimum kept it out.
struct Unplaced {
  static constexpr std::size_t kGroup = static_cast<std::size_t>(-1);
  PodId pod;
  std::size_t report = kGroup;
};

struct LeafResult {
  GroupId leaf;  // invalid for a lone pod
  Attempt attempt;
  std::vector<Unplaced> unplaced;
};

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

  CycleResult run(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of,
                  Instant now);
  EvaluationCache& evaluations() { return evaluations_; }

 private:
  struct Subtree;
  struct Solution;

  std::string disagreement(const Entity& entity) const;
  std::string priority_disagreement(const Group& root, PodId pod) const;
  std::vector<PodId> in_order(const std::vector<Member>& members) const;
  Solution solve(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution solve_in(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution solve_leaf(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution solve_composite(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution choose(Transaction& transaction, const Subtree& tree,
                  const std::vector<Placement>& placements);
  Feasibility feasibility(const Subtree& tree, std::size_t scheduled, std::size_t remaining) const;
  bool place_in_order(Transaction& transaction, const Subtree& tree, const Bitset* within,
                      LeafResult& result);
  bool search(Transaction& transaction, const Subtree& tree, const Bitset* within,
              LeafResult& result);
  bool try_one(Transaction& transaction, PodId pod, const Bitset* within, LeafResult& result);
  static void everyone_waits(LeafResult& result, const std::vector<PodId>& members);
  void count_classes(LeafResult& result, const std::vector<PodId>& members) const;
  void measure_room(LeafResult& result, const Bitset* within);
  void report(LeafResult& result, PodId pod, const Bitset* within);
  std::optional<NodeId> pick(PodId pod, const Bitset* within);
  std::int64_t placement_score(const Subtree& tree, const Placement& placement,
                               std::span<const ProposedPod> proposed, std::size_t scorer) const;

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache evaluations_;
  std::size_t search_budget_;
  const Profile* profile_ = nullptr;
};

}  // namespace tutti::core
