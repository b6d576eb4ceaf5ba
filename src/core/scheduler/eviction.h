// Eviction: what the scheduler does for an entity that found no room. Evicts those whose absence
// lets it run, keeps the room for it while they leave, and gives it up when it comes to nothing.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/cycle.h"
#include "core/cycle/decision_log.h"
#include "core/cycle/state.h"
#include "core/framework/attempt.h"
#include "core/framework/ports.h"
#include "core/preemption/preemption.h"
#include "core/preemption/reservations.h"
#include "core/scheduler/group_claims.h"
#include "core/scheduler/victim_writer.h"
#include "core/victims/eviction_history.h"

namespace tutti::core {

class Eviction {
 public:
  // Whether the choice of victims weighs the work they lose; see victim_cost.h.
  enum class Weighing : std::uint8_t { lost_work, nothing };
  Eviction(SchedulerState& state, Cycle& cycle, GroupClaims& group_claims, VictimWriter& victims,
           DecisionLog& decisions, ClusterPort& port, Weighing weighing);

  // Whether the pod must not leave for the entity, whatever their priorities.
  using OffLimits = std::function<bool(const Entity& preemptor, PodId pod)>;
  // Whether it leaves for anyone.
  using LeavesForAnyone = std::function<bool(PodId pod)>;
  void respect(OffLimits off_limits, LeavesForAnyone leaves_for_anyone) {
    off_limits_ = std::move(off_limits);
    leaves_for_anyone_ = std::move(leaves_for_anyone);
  }

  // Evicts others for an entity that was refused, if that lets it run; or waits for those evicted
  // for it before. The attempt says what came of it.
  void make_room(const Entity& entity, Attempt& attempt, Instant now);
  // The room held for the entity is anyone's again.
  void end_hold(const EntityKey& key, Instant now);

  // Names the members of gangs that would be left below their minimum without these pods: they go,
  // too.
  std::vector<PodId> rest_after(std::span<const PodId> gone) const;

  // A pod of this priority is on a node, or may be.
  void noticed(std::int32_t priority) { preemption_.noticed(priority); }
  // The pod is gone or has a node: it is nobody's victim, and no room is kept for it.
  void forget(PodId pod, Instant now);
  // Whoever made the devices of a claim come back is tried before others take them.
  void note_devices_back(const Observation& observation, Instant now);
  // The node is about to be forgotten, and with it the room that is held on it.
  void abandon(NodeId node, Instant now);

  // Ends holds whose time is over, evicts those whose notice is, and wakes preemptors that asked
  // for it. False: nothing was due.
  bool act_on_time(Instant now);
  std::optional<Instant> next_wakeup() const;
  // No room is held, and no preemptor is to ask again.
  bool idle() const { return reservations_.empty() && ask_again_.empty(); }

  // --- for rehearsals ----------------------------------------------------------------------------
  enum class Account : std::uint8_t { victims, everyone };  // whom the report speaks of
  // Whom the entity may evict as things are, and what for; nobody is told. `under_way`: see
  // Preemption::Circumstances.
  Preemption::Plan rehearse(const Entity& entity, Account account,
                            const PreemptionReport* under_way, Instant now);
  Reservations& reservations() { return reservations_; }
  const Reservations& reservations() const { return reservations_; }
  VictimCache& victim_cache() { return preemption_.memory(); }
  // Whether nobody on a node can have a lower priority than this.
  bool is_lowest(std::int32_t priority) const { return preemption_.is_lowest(priority); }

 private:
  Preemption::Plan plan(const Entity& entity, Instant now);
  std::function<bool(PodId)> off_limits_to(const Entity& entity) const;
  // The first PostFilter plugin with an answer decides who leaves and who is expected where.
  std::optional<Preemption::Plan> ask_post_filters(const Entity& entity) const;
  void start(const Entity& entity, const Preemption::Plan& plan, Instant now);
  Reservation hold_for(const Entity& entity, const Preemption::Plan& plan, Instant now) const;
  // Takes on what a predecessor began: members are expected on nodes that victims are leaving.
  bool adopt_nominations(const Entity& entity, Instant now);
  // A predecessor's victims on the node may be gone already, and their devices not back yet.
  void note_devices_that_come_back(Reservation& hold, NodeId node, Instant end);
  // Whether somebody has to leave yet, or devices are on their way back.
  bool still_made(const Reservation& hold) const;
  std::string workload_of_entity(const Entity& entity) const;
  bool end_due_holds(Instant now);
  bool wake_those_who_asked(Instant now);

  SchedulerState& state_;
  Cycle& cycle_;
  GroupClaims& group_claims_;
  VictimWriter& victims_;
  DecisionLog& decisions_;
  ClusterPort& port_;
  Preemption preemption_;
  Reservations reservations_;
  EvictionHistory history_;
  OffLimits off_limits_;
  LeavesForAnyone leaves_for_anyone_;
  std::map<EntityKey, Instant> ask_again_;  // preemptors whose answer may change with time
};

}  // namespace tutti::core
