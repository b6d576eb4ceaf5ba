// Preemption: whether a pod or group that found no room may evict others, whom, and what for. The
// thinking only; core/scheduler/eviction.h carries it out.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <unordered_set>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/placement/group_solver.h"
#include "core/queue/queue.h"
#include "core/victims/group_claim_release.h"
#include "core/victims/preemption_report.h"
#include "core/victims/victim_cache.h"

namespace tutti::core {

// Reason of the DisruptionTarget condition of a victim.
inline constexpr std::string_view kPreemptedReason = "PreemptionByScheduler";

class Preemption {
 public:
  struct Plan {
    std::shared_ptr<const PreemptionReport> report;
    // Set when the outcome is `evicting`.
    std::vector<PodId> victims;
    std::vector<ProposedPod> places;
    // The answer may be another one from then on, or once pods now being bound are.
    std::optional<Instant> ask_again;
    bool ask_again_when_bound = false;
  };
  struct Circumstances {
    std::function<GroupId(PodId)> group_of;
    const std::unordered_set<PodId>& condemned;
    const std::set<std::string>& spared;  // workloads; see eviction_history.h
    const Vacating& vacating;
    Instant now;
    // Nobody is evicted: what it finds out about who is on nodes need not hold afterwards.
    bool rehearsed = false;
    // The report names everyone on a node who is not evicted, and says why. Takes a while.
    bool thorough = false;
    // Room is being made for it already, for this reason: nothing is searched for again.
    const PreemptionReport* under_way = nullptr;
    // See VictimQuery.
    std::function<bool(PodId)> off_limits = {};
    std::function<bool(PodId)> leaves_for_anyone = {};
  };

  Preemption(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
             std::size_t search_budget, bool cost_aware)
      : cluster_(cluster),
        groups_(groups),
        evaluations_(evaluations),
        search_budget_(search_budget),
        cost_aware_(cost_aware) {}

  // A pod of this priority is on a node, or may be.
  void noticed(std::int32_t priority) { lowest_ = std::min(lowest_, priority); }

  // Whether nobody on a node can have a lower priority than this.
  bool is_lowest(std::int32_t priority) const { return priority <= lowest_; }
  VictimCache& memory() { return memory_; }

  // To be asked when an attempt at the entity ended unschedulable. `tree_of` gives its waiting
  // members; it is asked only when somebody might be evicted.
  Plan plan(const Entity& entity, const std::function<Subtree()>& tree_of,
            const Circumstances& around);

 private:
  // Why the entity may not evict anyone; empty: it may.
  std::string objection(const Entity& entity) const;

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  std::size_t search_budget_;
  bool cost_aware_;
  VictimCache memory_;
  // Nobody on a node has a lower priority than this.
  std::int32_t lowest_ = std::numeric_limits<std::int32_t>::max();
};

}  // namespace tutti::core
