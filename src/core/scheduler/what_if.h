// WhatIf: a decision rehearsed on the scheduler's own state with something changed, and everything
// taken back afterwards.
//
//   changes ──> attempt(): those ahead in the queue first, then the one asked about, by the very
//               code of a real attempt ──> Outcome
//   roll_back() / the destructor ──> the state as it was; no one outside can tell
//
// Changes are undone in reverse order. Nothing may be observed or scheduled while one lives.
#pragma once

#include <functional>
#include <unordered_set>

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/framework/extension_points.h"
#include "core/preemption/lifted_group_claims.h"
#include "core/scheduler/eviction.h"
#include "core/victims/preemption_report.h"

namespace tutti::core {

class WhatIf {
 public:
  // See Scheduler::rehearse.
  WhatIf(SchedulerState& state, Cycle& cycle, Eviction& eviction, Instant now);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;
  ~WhatIf();

  using Checkpoint = std::size_t;
  Checkpoint checkpoint() const { return undo_.size(); }
  void roll_back(Checkpoint to);

  // --- changes -----------------------------------------------------------------------------------
  // A known pod as changed, in the same group, or one more that waits.
  void set_pod(std::shared_ptr<const model::Pod> pod);
  // PodGroup or CompositePodGroup, known or new.
  void set_group(const model::ObjectPtr& group);
  void set_node(std::shared_ptr<const model::Node> node);
  // Sets an object of another kind that the cluster knows; see Cluster::set_object.
  void set_object(const model::ObjectPtr& object);
  void remove_object(const model::ObjectPtr& object);
  // They have ended: what they held is free, and those that waited no longer do.
  void end_pods(std::span<const PodId> pods);

  // --- the rehearsal -----------------------------------------------------------------------------
  struct Question {
    PodId pod;      // waits; the entity it belongs to is tried
    GroupId group;  // the group that is to run; invalid: the pod
    // Whoever is ahead in the queue is tried before. Needless where only the asker's own objects
    // changed and the scheduler is settled: the others were refused already.
    bool others_first = true;
    // Further pods without a group that have to run as well; they are tried after the asker.
    std::span<const PodId> also = {};
  };
  struct Outcome {
    // The pod, or a gang's minimum, or every member of a basic group gets its node.
    bool runs = false;
    std::vector<ProposedPod> placed;
    std::string placement;  // "key=value" of the chosen domain
    // Who has to leave first, for each entity that makes room; see Preemption.
    std::vector<std::shared_ptr<const PreemptionReport>> preemptions = {};
  };
  Outcome attempt(const Question& question);

  // What evicting others would do for the entity as things are, with everyone who is refused.
  // Null while it cannot be tried.
  std::shared_ptr<const PreemptionReport> account(const Question& question);

  // Pods on nodes that end together; the answer names the sets that would have to, as few as the
  // search finds. Empty when even the end of all would not let the entity fit.
  using PodSet = std::span<const PodId>;
  std::optional<std::vector<std::uint32_t>> fewest_to_end(const Question& question,
                                                          std::span<const PodSet> sets);

  // --- what it knows -----------------------------------------------------------------------------
  struct Running {
    PodId pod;
    NodeId node;
    GroupId leaf;  // its PodGroup; invalid: none
    bool leaving;  // on its way out, or to be
    const VictimCache::Facts& facts;
  };
  // Every pod on a node, in an order that depends on names only.
  void for_each_running(const std::function<void(const Running&)>& look);
  // Returns the facts of a known pod, wherever it is. Valid until the next call for another.
  const VictimCache::Facts& facts(PodId pod) {
    return eviction_.victim_cache().facts(cluster_, pod);
  }
  // Returns the priorities of those who wait for room that is kept for them while others leave it.
  std::vector<std::int32_t> priorities_with_room_kept() const;
  // Whether someone on a node may have a lower priority than this.
  bool has_below(std::int32_t priority) const { return !eviction_.is_lowest(priority); }

 private:
  // Empty while one of its groups is missing.
  std::optional<Entity> entity_of(PodId pod) const;
  void add_members(Entity& entity) const;
  void replace_pod(PodId id, std::shared_ptr<const model::Pod> pod);
  bool passes(const Entity& entity) const;
  // False: what would become of those ahead is anyone's guess.
  bool place_others(Transaction& transaction, const Entity& asker, std::span<const PodId> also);
  bool try_other(Transaction& transaction, const Entity& asker, const Entity& other);
  Solution solve(Transaction& transaction, const Entity& entity);
  void evict_for(const Entity& entity, Outcome& outcome);
  // One after another, each in what the others have left it.
  bool place_together(Transaction& transaction, const Question& question, Outcome& outcome);
  bool make_room(Transaction& transaction, const Entity& entity, Outcome& outcome);
  std::optional<std::vector<std::uint32_t>> fewest_for(const Entity& entity,
                                                       std::span<const PodSet> sets);
  std::optional<std::vector<std::uint32_t>> fewest_for_all(const Question& question,
                                                           std::span<const PodSet> sets);
  Preemption::Plan victims_for(const Entity& entity) {
    return eviction_.rehearse(entity, Eviction::Account::victims, nullptr, now_);
  }
  enum class Leaving : std::uint8_t { evicted, by_itself };
  void remove_pods(std::span<const PodId> pods, Leaving leaving);
  bool would_run(const Question& question, std::span<const ProposedPod> placed);
  bool has_ended(const Entity& entity) const;

  SchedulerState& state_;
  Cycle& cycle_;
  Eviction& eviction_;
  Cluster& cluster_;
  GroupTable& groups_;
  Instant now_;
  std::uint64_t observed_version_;
  std::vector<std::function<void()>> undo_;
  std::unordered_set<PodId> ended_;
  LiftedGroupClaims group_absence_;
};

}  // namespace tutti::core
