// Jobs and sets of replicas: their spec is as written but for what the API server itself adds.
#include "wire/encode/encode_kinds.h"

namespace tutti::wire {
namespace {

// Generated from the Job's uid unless it says how to find its pods.
void write_selector(Overlay& spec, const model::Job& job) {
  if (job.manual_selector || job.meta.uid.empty() || spec.find("selector") != nullptr) return;
  spec.member("selector", [&](Overlay& selector) {
    selector.map("matchLabels", {{"batch.kubernetes.io/controller-uid", job.meta.uid}});
  });
}

void write_status(Overlay& at, const model::JobStatus& status) {
  at.number_unless_zero("active", status.active);
  at.text("completedIndexes", status.completed_indexes);
  at.time("completionTime", status.completion_time);
  write_conditions(at, status.conditions, "lastProbeTime");
  at.number_unless_zero("failed", status.failed);
  at.number("ready", status.ready);
  at.time("startTime", status.start_time);
  at.number_unless_zero("succeeded", status.succeeded);
  at.number("terminating", status.terminating);
  if (status.terminating) at.object_unless_present("uncountedTerminatedPods");
}

void write_keeper(Overlay& at, const model::ReplicaKeeper& keeper) {
  at.member("spec", [&](Overlay& spec) { spec.number("replicas", keeper.replicas); });
  if (keeper.pods.spec == nullptr) return;
  at.member("status", [&](Overlay& status) {
    // What the document says of it is not read, so it is not ours to remove.
    if (keeper.status.ready > 0) status.number("availableReplicas", keeper.status.ready);
    status.number_unless_zero("readyReplicas", keeper.status.ready);
    status.number("replicas", keeper.status.replicas);
  });
}

}  // namespace

void write_kind(Overlay& at, const model::Job& job) {
  at.member("spec", [&](Overlay& spec) {
    spec.number("backoffLimit", job.backoff_limit);
    spec.number("completions", job.completions);
    spec.number("parallelism", job.parallelism);
    spec.flag("suspend", job.suspend);
    write_selector(spec, job);
  });
  at.member("status", [&](Overlay& status) { write_status(status, job.status); });
}

void write_kind(Overlay& at, const model::Deployment& deployment) { write_keeper(at, deployment); }
void write_kind(Overlay& at, const model::ReplicaSet& set) { write_keeper(at, set); }
void write_kind(Overlay& at, const model::StatefulSet& set) { write_keeper(at, set); }

// A status that nobody has computed stays as it was written.
void write_kind(Overlay& at, const model::PodDisruptionBudget& budget) {
  if (budget.observed_generation == 0) return;
  at.member("status", [&](Overlay& status) {
    status.number("currentHealthy", budget.current_healthy);
    status.number("desiredHealthy", budget.desired_healthy);
    status.number("disruptionsAllowed", budget.disruptions_allowed);
    status.number("expectedPods", budget.expected_pods);
    status.number("observedGeneration", budget.observed_generation);
  });
}

}  // namespace tutti::wire
