// Scheduler: events in, decisions out. Synchronous and single threaded; a driver (sim, kube) feeds
// observations and the time, calls schedule_one() until it returns false, and sleeps until
// next_wakeup() or the next observation.
//
//   observe() ──ObservationHandler──> SchedulerState: Cluster, GroupTable, Queue
//   schedule_one() ──pop──> Cycle (one snapshot, one transaction)
//        ├──placed──> BindingCycle ──> ClusterPort ──bind_finished()──> assigned, or repair, or
//        │                                                             take back
//        └──refused──> Eviction: others leave, room is kept
//   StatusWriter tells the cluster what came of it.
//
// Same observations, same times, same order: same decisions, byte for byte.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/binding/intents.h"
#include "core/broker/broker.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/cycle/cycle.h"
#include "core/cycle/decision_log.h"
#include "core/cycle/standing.h"
#include "core/cycle/state.h"
#include "core/framework/attempt.h"
#include "core/framework/config.h"
#include "core/framework/decision.h"
#include "core/framework/ports.h"
#include "core/framework/profile.h"
#include "core/framework/quota_config.h"
#include "core/queue/queue.h"
#include "core/scheduler/binding_cycle.h"
#include "core/scheduler/eviction.h"
#include "core/scheduler/group_claims.h"
#include "core/scheduler/observation_handler.h"
#include "core/scheduler/request_room.h"
#include "core/scheduler/status_writer.h"
#include "core/scheduler/takeover.h"
#include "core/scheduler/victim_writer.h"

namespace tutti::core {

class WhatIf;

struct SchedulerOptions {
  SchedulerConfig config;
  QuotaConfig quota;
  // Pods without a scheduler name or naming "default-scheduler" are ours too (the first profile's).
  bool sole_scheduler = true;
  // Before members of an incomplete gang are bound, its PodGroup says so, for a successor of this
  // process to read; see intent.h. For clusters that outlive the scheduler.
  // Requests of queues are left alone until take_over(), too.
  bool record_intents = false;
  // Steps of the exact search per attempt; see search_budget.h.
  std::size_t search_budget = 20'000'000;
  // Whether the choice of victims weighs the work they lose; see victim_cost.h.
  bool cost_aware_preemption = true;
};

class Scheduler {
 public:
  Scheduler(const SchedulerOptions& options, std::vector<Profile> profiles, ClusterPort& port,
            DecisionListener* listener = nullptr);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void observe(const Observation& observation, Instant now) { handler_.observe(observation, now); }
  void bind_finished(const PodReference& pod, const Status& outcome, Instant now) {
    binding_.finished(pod, outcome, now);
  }
  // From now on this scheduler answers for what a predecessor left half done. To be called once,
  // with everything observed and before the first schedule_one, where intents are recorded.
  void take_over(Instant now) {
    takeover_.begin(now);
    broker_.take_over(now);
  }
  // Who decides about trees of queues that nobody marks.
  void set_authority(const Authority& authority) { broker_.set_authority(authority); }
  // Takes one entity from the queue and tries it, or carries one binding further. False when there
  // is nothing to do at this instant.
  bool schedule_one(Instant now);
  // When schedule_one could have work again without an observation; empty: never.
  std::optional<Instant> next_wakeup() const;
  // Nothing is in flight and everything that waits was tried against the present state: only an
  // observation can change anything.
  bool settled();
  // Decisions on this very state that leave no trace; see what_if.h.
  WhatIf rehearse(Instant now);

  // --- questions ---------------------------------------------------------------------------------
  const Cluster& cluster() const { return state_.cluster; }
  const GroupTable& groups() const { return state_.groups; }
  // The profile that places the pod; null when it is another scheduler's.
  const Profile* profile_for(const model::Pod& pod) const { return state_.profile_for(pod); }
  // "plugin X failed: …" of the first user's plugin that did; empty: none.
  std::string plugin_failure() const { return state_.profiles.plugin_failure(); }
  Queue::Census waiting() const { return state_.queue.census(); }
  Standing standing(PodId pod) const { return standing_of(state_, pod); }
  Standing standing(GroupId group) const { return standing_of(state_, group); }
  // Why a gated entity is held: "1 of 3 members exist …". Empty otherwise.
  std::string held_reason(PodId pod) const { return core::held_reason(state_, pod); }
  // The last attempt of the pod's entity, if it waits and was tried.
  const Attempt* last_attempt(PodId pod) const;
  const Attempt* last_attempt(GroupId group) const;
  // Returns the digest of everything decided so far; equal runs have equal digests.
  std::uint64_t digest() const { return decisions_.digest(); }
  // Requests, queues and what they hold.
  const Broker& broker() const { return broker_; }
  // The incremental-state invariant; empty when it holds.
  std::string check_consistency() const {
    std::string problem = state_.check_consistency();
    return problem.empty() ? broker_.check_consistency() : problem;
  }

 private:
  void attempt(Entity& entity, Instant now);
  CycleResult try_entity(Entity& entity, Instant now);
  // Whether the request is tried before the first entity of the queue.
  bool goes_first(const Request& request, Instant now);
  // Sends waiting pods of a request to the places that are kept for them.
  void point_to(std::span<const Broker::Seat> seats);
  void apply(Entity& entity, CycleResult& result, Instant now);
  void refuse(Entity& entity, CycleResult& result, Instant now);
  // Counts what was placed as its group's. Whether somebody became evictable by that who was not.
  bool enter_placed(const Entity& entity, const CycleResult& result);
  Decision placement_decision(const Entity& entity, const CycleResult& result, Instant now) const;

  SchedulerState state_;
  DecisionLog decisions_;
  Intents intents_;
  GroupClaims group_claims_;
  Cycle cycle_;
  VictimWriter victims_;
  Eviction eviction_;
  StatusWriter status_;
  BindingCycle binding_;
  RequestRoom request_room_;
  QuotaConfig quota_;
  Broker broker_;
  Takeover takeover_;
  ObservationHandler handler_;
};

}  // namespace tutti::core
