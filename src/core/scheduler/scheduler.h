// Scheduler: events in, decisions out. Synchronous and single threaded; a driver (sim, kube) feeds
// observations and the time, calls schedule_one() until it returns false, and sleeps until
// next_wakeup() or the next observation.
//
//   observe() ──> Cluster, GroupTable, Queue
//   schedule_one() ──pop──> Cycle (one snapshot, one transaction) ──commit──> Binder ──>
//   ClusterPort bind_finished() ──> Binder: assigned, or repair, or take back
//
// Same observations, same times, same order: same decisions, byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "core/binding/binder.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/attempt.h"
#include "core/framework/config.h"
#include "core/framework/decision.h"
#include "core/framework/ports.h"
#include "core/framework/profile.h"
#include "core/preemption/checkpoint_notices.h"
#include "core/preemption/preemption.h"
#include "core/preemption/reservations.h"
#include "core/queue/queue.h"
#include "core/scheduler/cycle.h"
#include "core/victims/eviction_history.h"
#include "core/victims/group_claim_release.h"

namespace tutti::devices {
struct Claim;
}  // namespace tutti::devices

namespace tutti::core {

struct SchedulerOptions {
  SchedulerConfig config;
  // Pods without a scheduler name or naming "default-scheduler" are ours too (the first profile's).
  bool sole_scheduler = true;
  // Before members of an incomplete gang are bound, its PodGroup says so, for a successor of this
  // process to read; see intent.h. For clusters that outlive the scheduler.
  bool record_intents = false;
  // Steps of the exact search per attempt; see search_budget.h.
  std::size_t search_budget = 20'000'000;
  // Whether the choice of victims weighs the work they lose; see victim_cost.h.
  bool cost_aware_preemption = true;
};

// Where an unplaced pod or group stands.
enum class Standing : std::uint8_t {
  unknown,       // not a pod or group this scheduler knows
  foreign,       // another scheduler's
  placed,        // every known member has a node
  binding,       // decided; the cluster has not confirmed yet
  incomplete,    // its group, or an ancestor, does not exist
  gated,         // held before the queue: gates, quorum (see held_reason)
  queued,        // waits for its turn
  backing_off,   // failed; will be tried again after its backoff
  unschedulable  // failed; waits for an event that may help
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, std::vector<Profile> profiles, ClusterPort& port,
            DecisionListener* listener = nullptr);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void observe(const Observation& observation, Instant now);
  void bind_finished(const PodReference& pod, const Status& outcome, Instant now);
  // From now on this scheduler answers for what a predecessor left half done. To be called once,
  // with everything observed and before the first schedule_one, where intents are recorded.
  void take_over(Instant now);
  // Takes one entity from the queue and tries it, or carries one binding further. False when there
  // is nothing to do at this instant.
  bool schedule_one(Instant now);
  // When schedule_one could have work again without an observation; empty: never.
  std::optional<Instant> next_wakeup() const;
  // Nothing is in flight and everything that waits was tried against the present state: only an
  // observation can change anything.
  bool settled() const;

  // --- questions ---------------------------------------------------------------------------------
  const Cluster& cluster() const { return cluster_; }
  const GroupTable& groups() const { return groups_; }
  // The profile that places the pod; null when it is another scheduler's.
  const Profile* profile_for(const model::Pod& pod) const;
  // "plugin X failed: …" of the first user's plugin that did; empty: none.
  std::string plugin_failure() const;
  Queue::Census waiting() const { return queue_.census(); }
  Standing standing(PodId pod) const;
  Standing standing(GroupId group) const;
  // Why a gated entity is held: "1 of 3 members exist …". Empty otherwise.
  std::string held_reason(PodId pod) const;
  // The last attempt of the pod's entity, if it waits and was tried.
  const Attempt* last_attempt(PodId pod) const;
  const Attempt* last_attempt(GroupId group) const;
  // Of everything decided so far; equal runs have equal digests.
  std::uint64_t digest() const { return digest_.value(); }
  // The incremental-state invariant; empty when it holds.
  std::string check_consistency() const;

 private:
  friend class WhatIf;  // rehearses decisions on this very state

  void observe_pod(const Observation& observation, Instant now);
  void observe_node(const Observation& observation, Instant now);
  void observe_group(const Observation& observation, Instant now);
  void observe_other(const Observation& observation, Instant now);
  void pod_appeared(const std::shared_ptr<const model::Pod>& pod, bool quiet, Instant now);
  void pod_changed(PodId id, const std::shared_ptr<const model::Pod>& pod, bool quiet, Instant now);
  void pod_vanished(PodId id, bool quiet, Instant now);
  void assigned(PodId id, Instant now);
  void forget_if_gone(GroupId group);
  GroupId group_of(PodId pod) const;
  void join_group(PodId id, const model::Pod& pod, GroupTable::Membership membership);
  void wake(const ClusterEvent& event, bool quiet, Instant now);

  void attempt(Entity& entity, Instant now);
  void apply(Entity& entity, CycleResult& result, Instant now);
  void refuse(Entity& entity, CycleResult& result, Instant now);
  // Evicts others for an entity that found no room, if that lets it run; or waits for those evicted
  // for it before.
  void make_room(const Entity& entity, Attempt& attempt, Instant now);
  // The first PostFilter plugin with an answer decides who leaves and who is expected where.
  std::optional<Preemption::Plan> ask_post_filters(const Entity& entity);
  std::vector<PodId> rest_after(std::span<const PodId> gone) const;
  void start_evicting(const Entity& entity, const Preemption::Plan& plan, Instant now);
  Reservation hold_for(const Entity& entity, const Preemption::Plan& plan, Instant now) const;
  void tell_victim(PodId victim, CheckpointNotice notice, Instant now);
  std::string workload_of_entity(const Entity& entity) const;
  // Takes on what a predecessor began: members are expected on nodes that victims are leaving.
  bool adopt_nominations(const Entity& entity, Instant now);
  bool comes_back(const devices::Claim& claim) const;
  // Somebody has to leave yet, or devices are on their way back.
  bool still_made(const Reservation& hold) const;
  // A predecessor's victims on the node may be gone already, and their devices not back yet.
  void note_devices_that_come_back(Reservation& hold, NodeId node, Instant end);
  // Victims that a predecessor marked and did not come to evict are free again; whoever needs their
  // room asks anew.
  void pardon_marked(Instant now);
  std::unordered_set<PodId> finish_falls(Instant now);
  // The room held for the entity is anyone's again.
  void end_hold(const EntityKey& key, Instant now);
  void withdraw_notices(const EntityKey& key, const Reservation& held, Instant now);
  void forget_expectations(PodId pod, Instant now);
  void note_devices_back(const Observation& observation, Instant now);
  void abandon_holds(NodeId node, Instant now);
  // The pod may have saved its work, which is all it was waited for.
  void note_checkpoint(PodId pod, const model::Pod& object);
  // Ends holds whose time is over, evicts those whose notice is, and wakes preemptors that asked
  // for it. False: nothing was due.
  bool mind_holds(Instant now);
  void binding_failed(const BindingFailure& failure, Instant now);
  // The node is about to be forgotten: pods on their way to it wait again.
  void abandon_bindings(NodeId node, Instant now);
  // Loss of this member would leave its gang, or the tree it is part of, never complete so far,
  // below its minimum.
  bool completes_a_gang(PodId pod) const;
  void open_account(GroupId leaf, PodId pod);
  void take_back(GroupId leaf, const std::string& why, Instant now);
  void take_back_if_lost(GroupId leaf, Instant now);
  void give_back_leaf(GroupId leaf, const std::string& why, Instant now);
  void give_back(PodId pod, const Profile& profile, Instant now);
  void evict_incomplete(PodId pod, GroupId leaf, const std::string& message, Instant now);

  void declare_intent(GroupId leaf, Instant now);
  // It may not have been stored: said again before anyone is bound in its name.
  void repeat_intent(GroupId leaf);
  void settle_intent(GroupId leaf, std::string_view reason, Instant now);
  // Nothing of the group is on a node any more, nor on its way.
  void settle_intent_if_empty(GroupId leaf, Instant now);
  void inherit(GroupId leaf, Instant now);
  void note_class(GroupId leaf, const ClassWords& words);

  void write_leaf(const LeafResult& leaf, const Profile& profile, Instant now);
  // The same for an entity that was refused; members that were told so before are passed over.
  void write_refusal(Entity& entity, const LeafResult& leaf, Instant now);
  void write_members(const LeafResult& leaf, const Profile& profile, Instant now);
  void write_pod_failure(PodId pod, Code code, const std::string& message, const Profile& profile,
                         Instant now);
  // Hands back claims that were written for decisions taken back since, and those of groups of
  // which nobody is left.
  void release_claims(Instant now);

  // --- group_claim_release.h ---------------------------------------------------------------------
  bool evicted_by_us(const model::Pod& pod) const;
  // The group, if it has claims, is to give them back when nobody of it is left; or not after all.
  void vacate(GroupId leaf);
  void stay(GroupId leaf);
  // Those of a group that was refused and has nobody on a node tie it to a place without room.
  void give_up_group_claims(const Entity& entity);
  // A predecessor may have evicted the groups that the claim is reserved for.
  void vacate_left_by_victims(const devices::Claim& claim, std::int32_t priority);
  void mind_vacating(Instant now);
  std::optional<Instant> next_repeated_release() const;
  // What a victim of the entity is told, now or after its notice.
  CheckpointNotice notice_for(PodId victim, const Entity& entity, Instant now) const;
  void write_notice(PodId victim, const CheckpointNotice& notice);
  void write_withdrawal(PodId victim, Instant now);
  void write_eviction(PodId victim, const CheckpointNotice& notice);
  void write_scheduled(PodId pod, NodeId node, const Profile& profile);
  void write_group_condition(GroupId group, const Attempt& attempt, Instant now);
  // Composites of the tree: those that stand, and those that the attempt left without.
  void write_composites(GroupId group, const Attempt& attempt, Instant now);
  void log(Decision decision);

  SchedulerOptions options_;
  std::vector<Profile> profiles_;
  ClusterPort& port_;
  DecisionListener* listener_;
  Cluster cluster_;
  GroupTable groups_;
  std::unordered_map<PodId, GroupId> group_of_;  // members only
  Queue queue_;
  Binder binder_;
  Cycle cycle_;
  Preemption preemption_;
  Reservations reservations_;
  EvictionHistory grudges_;
  CheckpointNotices notices_;
  std::map<EntityKey, Instant> ask_again_;  // preemptors whose answer may change with time
  // Groups that have had their minimum on nodes since we last placed members of them: what happens
  // to them later is not ours to undo. The others remember whom we placed and how often they were
  // repaired.
  std::unordered_set<GroupId> completed_;
  std::unordered_map<GroupId, std::set<PodId>> bound_by_us_;
  std::unordered_map<GroupId, int> repairs_;
  // Leaves whose intent we recorded or inherited: since when it is open; empty: closed.
  std::unordered_map<GroupId, std::optional<Instant>> intents_;
  bool took_over_ = false;
  Vacating vacating_;
  std::unordered_map<PodId, std::uint32_t> bind_failures_;  // in a row
  // Group conditions as last written; the cluster's own word may not have come back yet.
  std::unordered_map<GroupId, model::Condition> written_;
  Digest digest_;
};

}  // namespace tutti::core
