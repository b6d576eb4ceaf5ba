// Verdicts for what a scheduler knows: one per pod or group.
//
//   placed, or ended ───────────────> Running
//   group, members or gates missing ─> Held        (hold.h)
//   tried and refused ──────────────> the attempt's ruling and sentence  (ruling.h, sentence.h)
//   otherwise ──────────────────────> Waiting for its turn
#pragma once

#include <functional>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/attempt.h"
#include "core/framework/profile.h"
#include "explain/held_reason.h"
#include "explain/verdict/verdict.h"

namespace tutti::core {
class Scheduler;
}

namespace tutti::explain {

class VerdictCache;

// The questions a verdict needs answered, so that verdicts can be had without a whole scheduler.
struct Sources {
  const core::Cluster& cluster;
  const core::GroupTable& groups;
  // The profile that places the pod; null when the pod is another scheduler's.
  std::function<const core::Profile*(const model::Pod&)> profile_for;
  // The last attempt of the pod's entity; null when it was not tried.
  std::function<const core::Attempt*(core::PodId)> last_attempt;
  // Why a plugin holds the pod before the queue; empty when none does.
  std::function<std::string(core::PodId)> held_reason;
  // Members that are not in `groups`.
  AbsentOf absent = {};
  // What verdicts before had in common with this one; null: it is worked out from nothing.
  VerdictCache* memory = nullptr;
  // Whether a ResourceClaimTemplate exists; null: not known, as a scheduler watches none.
  std::function<bool(const std::string& ns, const std::string& name)> has_template = {};
};
// Valid as long as the scheduler, and until it next changes.
Sources sources_of(const core::Scheduler& scheduler);

// Requires a pod in the cluster's table. A waiting member that its group is tried together with
// gets the group's verdict under its own name.
Verdict explain_pod(const Sources& sources, core::PodId pod);
// A gang runs once its minimum of members does; a basic group once all do. A group of which nobody
// waits and somebody runs or has ended counts as running too.
Verdict explain_group(const Sources& sources, core::GroupId group);

// Explains a resource claim: its devices, or why the first pod that wants it waits.
Verdict explain_claim(const Sources& sources, const std::string& ns, const std::string& name);

// Whether the group had members and all have ended.
bool finished(const Sources& sources, core::GroupId group);

Verdict explain_pod(const core::Scheduler& scheduler, core::PodId pod);
Verdict explain_group(const core::Scheduler& scheduler, core::GroupId group);

}  // namespace tutti::explain
