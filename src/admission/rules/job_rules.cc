// Rules of Jobs and of sets of replicas, and what may change in them.
//
// A template without restartPolicy is taken as one that says Never, where the API server refuses
// it: manifests written for schedulers only often leave it out.
#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"
#include "admission/rules/update_rules.h"
#include "expr/integer.h"
#include "expr/label_selector.h"

namespace tutti::admission {
namespace {

using model::Job;
using model::JobScheduling;
using model::ReplicaKeeper;

constexpr std::size_t kGroupClaimsMax = 4;
constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kLeastParallelism = "kueue.x-k8s.io/job-min-parallelism";

template <typename T>
void check_optional(const std::optional<T>& value, const Path& path, Findings& findings) {
  if (value) check_at_least(*value, 0, path, findings);
}

void check_scheduling(const JobScheduling& scheduling, std::int32_t parallelism, const Path& path,
                      Findings& findings) {
  const Path minimum = path.field("schedulingPolicy.gang.minCount");
  if (scheduling.minimum) {
    check_at_least(*scheduling.minimum, 1, minimum, findings);
    if (*scheduling.minimum > parallelism) {
      findings.add(minimum, "must be at most spec.parallelism, which is {}, is {}", parallelism,
                   *scheduling.minimum);
    }
  }
  if (!scheduling.topology_key.empty()) {
    check_qualified_name(scheduling.topology_key,
                         path.field("schedulingConstraints.topology[0].key"), findings);
  }
  check_at_most_items(scheduling.resource_claims.size(), kGroupClaimsMax,
                      path.field("resourceClaims"), findings);
  check_claims(scheduling.resource_claims, path, findings);
}

void check_restart_policy(const Job& job, const Path& spec, Findings& findings) {
  if (job.pods.spec == nullptr || job.pods.spec->restart_policy != "Always") return;
  findings.add(spec.field("template.spec.restartPolicy"),
               "must be Never or OnFailure for a Job, is 'Always'");
}

// How far a queue may shrink a Job, as Kueue asks it of one that comes to be. One that is there may
// have been shrunk since.
void check_least_parallelism(const Job& job, Findings& findings) {
  const Path meta("metadata");
  const std::string* least = model::find(job.meta.annotations, kLeastParallelism);
  const bool queued = model::find(job.meta.labels, kQueueLabel) != nullptr;
  if (least == nullptr || !queued || job.meta.created) return;
  const std::int32_t parallelism = job.parallelism.value_or(1);
  const std::int32_t pods = std::min(parallelism, job.completions.value_or(parallelism));
  const auto number = expr::parse_int64(*least);
  if (number && *number >= 1 && *number < pods) return;
  findings.add(meta.entry("annotations", kLeastParallelism),
               "must be at least 1 and less than the {} pods that run at once, is '{}'", pods,
               *least);
}

void check_set_selector(const std::optional<model::LabelSelector>& selector, Findings& findings) {
  const Path path("spec.selector");
  if (!selector) {
    findings.add(path, "is required");
  } else if (selector->match_labels.empty() && selector->match_expressions.empty()) {
    findings.add(path, "must select something, is empty");
  } else {
    check_selector(*selector, path, findings);
  }
}

void check_keeper(const ReplicaKeeper& keeper, Findings& findings) {
  const Path spec("spec");
  check_set_selector(keeper.selector, findings);
  check_optional(keeper.replicas, spec.field("replicas"), findings);
  if (keeper.pods.spec == nullptr) return;
  check_template(keeper.pods, spec.field("template"), findings);
  if (keeper.pods.spec->active_deadline_seconds) {
    findings.add(spec.field("template.spec.activeDeadlineSeconds"),
                 "must be absent: pods that end are replaced");
  }
  if (keeper.selector && !expr::matches(*keeper.selector, keeper.pods.labels)) {
    findings.add(spec.field("template.metadata.labels"), "must match spec.selector");
  }
}

bool counts_agree(const Job& job) {
  return job.indexed && job.completions && job.completions == job.parallelism;
}

void check_size_change(const Job& before, const Job& after, const Path& spec, Findings& findings) {
  if (before.parallelism != after.parallelism && is_gang_by_shape(before)) {
    findings.add(spec.field("parallelism"),
                 "is immutable while the Job is a gang by its shape; give it spec.scheduling");
  }
  if (before.completions == after.completions) return;
  if (counts_agree(before) && counts_agree(after)) return;
  findings.add(spec.field("completions"),
               "is immutable unless an Indexed Job changes it together with parallelism");
}

void check_scheduling_change(const std::optional<JobScheduling>& before,
                             const std::optional<JobScheduling>& after, const Path& path,
                             Findings& findings) {
  if (before.has_value() != after.has_value()) {
    findings.add(path, "must not be {} later", after ? "added" : "removed");
    return;
  }
  if (!before) return;
  check_frozen(before->gang, after->gang, path.field("schedulingPolicy"), findings);
  check_frozen_text(before->topology_key, after->topology_key,
                    path.field("schedulingConstraints.topology[0].key"), findings);
  check_frozen(before->disruption, after->disruption, path.field("disruptionMode"), findings);
  check_frozen(before->resource_claims, after->resource_claims, path.field("resourceClaims"),
               findings);
}

}  // namespace

void check_kind(const Job& job, Findings& findings) {
  const Path spec("spec");
  check_optional(job.parallelism, spec.field("parallelism"), findings);
  check_optional(job.completions, spec.field("completions"), findings);
  check_optional(job.backoff_limit, spec.field("backoffLimit"), findings);
  check_optional(job.active_deadline_seconds, spec.field("activeDeadlineSeconds"), findings);
  check_optional(job.ttl_seconds, spec.field("ttlSecondsAfterFinished"), findings);
  check_selector(job.selector, spec.field("selector"), findings);
  if (job.indexed && !job.completions) {
    findings.add(spec.field("completions"), "is required with completionMode Indexed");
  }
  check_template(job.pods, spec.field("template"), findings);
  check_restart_policy(job, spec, findings);
  check_least_parallelism(job, findings);
  if (job.scheduling) {
    check_scheduling(*job.scheduling, job.parallelism.value_or(1), spec.field("scheduling"),
                     findings);
  }
}

void check_kind(const model::Deployment& deployment, Findings& findings) {
  check_keeper(deployment, findings);
}
void check_kind(const model::ReplicaSet& set, Findings& findings) { check_keeper(set, findings); }
void check_kind(const model::StatefulSet& set, Findings& findings) { check_keeper(set, findings); }

// The template of a suspended Job may change: whoever resumes it says where it may run.
void check_change(const Job& before, const Job& after, Findings& findings) {
  const Path spec("spec");
  check_size_change(before, after, spec, findings);
  check_frozen(before.indexed, after.indexed, spec.field("completionMode"), findings);
  check_frozen(before.selector, after.selector, spec.field("selector"), findings);
  check_frozen(before.failure_rules, after.failure_rules, spec.field("podFailurePolicy"), findings);
  check_frozen_text(before.managed_by, after.managed_by, spec.field("managedBy"), findings);
  if (!before.suspend) check_frozen(before.pods, after.pods, spec.field("template"), findings);
  check_scheduling_change(before.scheduling, after.scheduling, spec.field("scheduling"), findings);
}

void check_change(const ReplicaKeeper& before, const ReplicaKeeper& after, Findings& findings) {
  check_frozen(before.selector, after.selector, Path("spec.selector"), findings);
}

}  // namespace tutti::admission
