// Standing: where an unplaced pod or group stands.
#pragma once

#include "base/std.h"
#include "core/cycle/state.h"
#include "core/shapes/ids.h"

namespace tutti::core {

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

Standing standing_of(const SchedulerState& state, PodId pod);
Standing standing_of(const SchedulerState& state, GroupId group);
// Why a gated or incomplete pod is held: "1 of 3 members exist …". Empty otherwise.
std::string held_reason(const SchedulerState& state, PodId pod);

}  // namespace tutti::core
