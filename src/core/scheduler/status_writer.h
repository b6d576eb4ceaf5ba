// StatusWriter: what the scheduler writes to the cluster after an attempt: conditions and events.
// Nothing is written twice: an unchanged condition means no patch and no event.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/state.h"
#include "core/framework/attempt.h"
#include "core/framework/ports.h"
#include "core/placement/solution.h"
#include "core/preemption/reservations.h"

namespace tutti::core {

class StatusWriter {
 public:
  StatusWriter(SchedulerState& state, const Reservations& reservations, ClusterPort& port)
      : state_(state), reservations_(reservations), port_(port) {}

  // The conditions of a group and of its members that were not placed.
  void write_leaf(const LeafResult& leaf, const Profile& profile, Instant now);
  // Does what write_leaf() does, for an entity that was refused; members that were told so before
  // are passed over.
  void write_refusal(Entity& entity, const LeafResult& leaf, Instant now);
  // The conditions of composites of the tree: those that stand, and those that the attempt left
  // without.
  void write_composites(GroupId group, const Attempt& attempt, Instant now);
  void write_pod_failure(PodId pod, Code code, const std::string& message, const Profile& profile,
                         Instant now);
  void write_scheduled(PodId pod, NodeId node, const Profile& profile);
  // The group is gone, or its object is: what was written of it counts no more.
  void forget(GroupId group) { written_.erase(group); }

 private:
  void write_members(const LeafResult& leaf, const Profile& profile, Instant now);
  void write_group_condition(GroupId group, const Attempt& attempt, Instant now);

  SchedulerState& state_;
  const Reservations& reservations_;
  ClusterPort& port_;
  // Group conditions as last written; the cluster's own word may not have come back yet.
  std::unordered_map<GroupId, model::Condition> written_;
};

}  // namespace tutti::core
