// The scheduler as a source of verdicts.
#include "core/scheduler/scheduler.h"
#include "explain/explain.h"

namespace tutti::explain {

Sources sources_of(const core::Scheduler& scheduler) {
  return {scheduler.cluster(), scheduler.groups(),
          [&](const model::Pod& pod) { return scheduler.profile_for(pod); },
          [&](core::PodId pod) { return scheduler.last_attempt(pod); },
          [&](core::PodId pod) { return scheduler.held_reason(pod); }};
}

Verdict explain_pod(const core::Scheduler& scheduler, core::PodId pod) {
  return explain_pod(sources_of(scheduler), pod);
}

Verdict explain_group(const core::Scheduler& scheduler, core::GroupId group) {
  return explain_group(sources_of(scheduler), group);
}

}  // namespace tutti::explain
