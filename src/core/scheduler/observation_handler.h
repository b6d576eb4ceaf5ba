// ObservationHandler: from observed objects to cluster, groups and queue, and to whoever follows
// what becomes of a pod, a group or a node.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/binding/intents.h"
#include "core/broker/broker.h"
#include "core/cycle/state.h"
#include "core/framework/ports.h"
#include "core/scheduler/binding_cycle.h"
#include "core/scheduler/eviction.h"
#include "core/scheduler/group_claims.h"
#include "core/scheduler/status_writer.h"
#include "core/scheduler/takeover.h"
#include "core/scheduler/victim_writer.h"
#include "core/shapes/work_class.h"

namespace tutti::core {

class ObservationHandler {
 public:
  // Who hears of what is observed.
  struct Listeners {
    Broker& broker;
    Intents& intents;
    GroupClaims& group_claims;
    VictimWriter& victims;
    Eviction& eviction;
    StatusWriter& status;
    BindingCycle& binding;
    Takeover& takeover;
  };
  ObservationHandler(SchedulerState& state, Listeners listeners)
      : state_(state), listeners_(listeners) {}

  void observe(const Observation& observation, Instant now);

 private:
  // Whether a change wakes what waits.
  enum class Wakes : std::uint8_t { no, yes };
  static Wakes wakes_of(const Observation& observation) {
    return observation.quiet ? Wakes::no : Wakes::yes;
  }

  void observe_pod(const Observation& observation, Instant now);
  void observe_node(const Observation& observation, Instant now);
  void observe_group(const Observation& observation, Instant now);
  void group_vanished(GroupId group, const model::ObjectMeta& meta, Instant now);
  void observe_other(const Observation& observation, Instant now);
  void pod_appeared(const std::shared_ptr<const model::Pod>& pod, Wakes wakes, Instant now);
  void pod_changed(PodId id, const std::shared_ptr<const model::Pod>& pod, Wakes wakes,
                   Instant now);
  void pod_vanished(PodId id, Wakes wakes, Instant now);
  // The pod names another group than before.
  void move_to_group(PodId id, const model::Pod& pod, Instant now);
  void assigned(PodId id, Instant now);
  void forget_if_gone(GroupId group);
  // Gives the group's words about the work of its members to those who have none of their own.
  void note_class(GroupId group, const ClassWords& words);
  void wake(const ClusterEvent& event, Wakes wakes, Instant now);

  SchedulerState& state_;
  Listeners listeners_;
};

}  // namespace tutti::core
