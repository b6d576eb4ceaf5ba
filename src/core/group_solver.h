// GroupSolver: places a tree of groups inside a transaction, depth first.
//
// A group with a topology constraint is tried in each of its candidate placements and keeps the
// best feasible one; a composite solves its children one after another inside its placement, so
// that later ones see the earlier, and stands when enough of them do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/leaf_solver.h"

namespace tutti::core {

// A group with the members of it that take part in the attempt.
struct Subtree {
  GroupId group;               // invalid for a lone pod
  std::vector<PodId> members;  // of a leaf, in the order they are tried
  std::vector<Subtree> children;
};

// What solving a subtree came to. On success the transaction holds its placements.
struct Solution {
  Code code = Code::unschedulable;
  std::string message;
  std::vector<LeafResult> leaves;  // every leaf of the subtree, in order
  std::vector<PlacementReport> placements;
  std::string placement;  // "key=value" of the chosen domain

  bool success() const { return code == Code::success; }
};

class GroupSolver {
 public:
  GroupSolver(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
              const Profile& profile, std::size_t search_budget)
      : cluster_(cluster),
        groups_(groups),
        profile_(profile),
        leaf_solver_(cluster, groups, evaluations, profile, search_budget) {}

  Solution solve(Transaction& transaction, const Subtree& tree, const Bitset* within);

 private:
  struct Candidate;

  Solution solve_in(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution solve_leaf(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution solve_composite(Transaction& transaction, const Subtree& tree, const Bitset* within);
  Solution choose(Transaction& transaction, const Subtree& tree,
                  const std::vector<Placement>& placements);
  std::size_t best_of(const std::vector<Candidate>& candidates) const;
  std::vector<std::int64_t> scores(const Subtree& tree, const Placement& placement,
                                   std::span<const ProposedPod> proposed) const;

  Cluster& cluster_;
  const GroupTable& groups_;
  const Profile& profile_;
  LeafSolver leaf_solver_;
};

// Marks every leaf of the subtree as kept out for the reason given.
void refuse_leaves(const Subtree& tree, Code code, const std::string& message,
                   std::vector<LeafResult>& leaves);

}  // namespace tutti::core
