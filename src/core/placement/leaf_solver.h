// LeafSolver: places the waiting members of one PodGroup, or a lone pod, inside a transaction.
//
// Members are tried in order and the group's minimum is tested after each; when that fails although
// members differ or depend on each other, the exact search has the last word.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/attempt.h"
#include "core/framework/extension_points.h"
#include "core/framework/profile.h"
#include "core/framework/transaction.h"
#include "core/packing/search_budget.h"
#include "core/placement/task.h"

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
             const Profile& profile)
      : cluster_(cluster), groups_(groups), evaluations_(evaluations), profile_(profile) {}

  // On success the transaction holds the placements of the members that fit, at least the group's
  // minimum together with what runs, and at least one. Otherwise it is as before. `within` limits
  // the nodes; null: all.
  LeafResult solve(Transaction& transaction, GroupId leaf, const std::vector<PodId>& members,
                   const Bitset* within, SearchBudget& budget);
  // The result of a leaf of which enough members are placed already; the others are added as they
  // fit, one by one and, with a budget, those that need each other together.
  LeafResult complete(Transaction& transaction, GroupId leaf, const std::vector<PodId>& members,
                      const Bitset* within, SearchBudget* budget = nullptr);
  // Completes the leaf without trying the others, which wait for this reason.
  LeafResult complete(GroupId leaf, const std::vector<PodId>& members, const PluginStatus& others);
  // The result of a leaf that was not placed, because of the leaf as a whole. `fit` members would
  // have had a node.
  LeafResult refuse(const Subtree& leaf, const Bitset* within, std::size_t fit,
                    std::string message);

 private:
  void begin(GroupId leaf, const std::vector<PodId>& members, const Bitset* within);
  bool place_in_order(Transaction& transaction);
  void add_the_rest(Transaction& transaction);
  void add_together(Transaction& transaction, SearchBudget& budget);
  bool search(Transaction& transaction, SearchBudget& budget);
  bool search_may_help(std::size_t need);
  bool try_one(Transaction& transaction, PodId pod);
  std::optional<NodeId> pick(PodId pod);
  void report(PodId pod, const PluginStatus& verdict);
  void count_classes();
  void measure_room();
  void everyone_waits();

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  // What the solve() under way was asked, and its result.
  const std::vector<PodId>* members_ = nullptr;
  const Bitset* within_ = nullptr;
  LeafResult result_;
};

}  // namespace tutti::core
