// LeafSolver: places the waiting members of one PodGroup, or a lone pod, inside a transaction.
//
// Members are tried in order and the group's minimum is tested after each; when that fails although
// members differ or depend on each other, the exact search has the last word.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/bitset.h"
#include "core/attempt.h"
#include "core/cluster.h"
#include "core/evaluation.h"
#include "core/groups.h"
#include "core/lifecycle.h"
#include "core/profile.h"
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

// How the minimum of a group stands, by the strictest of the profile's plugins. A lone pod (an
// invalid id) needs itself.
Feasibility feasibility(const Profile& profile, const GroupTable& groups, GroupId group,
                        std::size_t scheduled, std::size_t remaining);

class LeafSolver {
 public:
  LeafSolver(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
             const Profile& profile, std::size_t search_budget)
      : cluster_(cluster),
        groups_(groups),
        evaluations_(evaluations),
        profile_(profile),
        search_budget_(search_budget) {}

  // On success the transaction holds the placements of the members that fit, at least the group's
  // minimum together with what runs, and at least one. Otherwise it is as before. `within` limits
  // the nodes; null: all.
  LeafResult solve(Transaction& transaction, GroupId leaf, const std::vector<PodId>& members,
                   const Bitset* within);

 private:
  bool place_in_order(Transaction& transaction);
  bool search(Transaction& transaction);
  bool search_may_help(std::size_t need);
  bool try_one(Transaction& transaction, PodId pod);
  std::optional<NodeId> pick(PodId pod);
  void report(PodId pod, const Verdict& verdict);
  void count_classes();
  void measure_room();
  void everyone_waits();

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  std::size_t search_budget_;
  // Of the solve() under way.
  const std::vector<PodId>* members_ = nullptr;
  const Bitset* within_ = nullptr;
  LeafResult result_;
};

}  // namespace tutti::core
