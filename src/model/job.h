// batch/v1 Job.
#pragma once

#include "base/std.h"
#include "model/group.h"
#include "model/object.h"
#include "model/pod_template.h"
#include "model/selector.h"

namespace tutti::model {

// spec.scheduling: how the Job's pods are to be placed. A Job that does not say is a gang if its
// shape says so (controllers/job).
struct JobScheduling {
  bool gang = false;                    // else basic
  std::optional<std::int32_t> minimum;  // of a gang; absent: as many as run in parallel
  std::string topology_key;
  std::optional<DisruptionMode> disruption;
  std::vector<ClaimReference> resource_claims;
  bool operator==(const JobScheduling&) const = default;
};

// A rule of spec.podFailurePolicy that looks at conditions. Rules that look at exit codes are kept
// in the order with the others and match no pod: simulated containers have none.
struct PodFailureRule {
  enum class Action : std::uint8_t { count, ignore, fail_job, fail_index };
  struct Pattern {
    std::string type;
    std::string status = "True";
    bool operator==(const Pattern&) const = default;
  };
  Action action = Action::count;
  std::vector<Pattern> conditions;  // one of them suffices
  bool operator==(const PodFailureRule&) const = default;
};

struct JobStatus {
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  // Absent until a controller has looked at the Job.
  std::optional<std::int32_t> ready;
  std::optional<std::int32_t> terminating;
  std::string completed_indexes;  // "0-2,5"
  std::string failed_indexes;     // read only: nobody here gives up single indexes
  std::optional<Instant> start_time;
  std::optional<Instant> completion_time;
  Conditions conditions;
  bool operator==(const JobStatus&) const = default;
};

struct Job : Object {
  static constexpr Kind kKind = Kind::job;
  Job() : Object(kKind) {}

  // Absent only before admission.
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> backoff_limit;
  // Absent: done when one pod succeeded and the others ended.
  std::optional<std::int32_t> completions;
  bool indexed = false;
  bool suspend = false;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int64_t> ttl_seconds;  // after it finished
  bool manual_selector = false;
  std::optional<LabelSelector> selector;
  bool replaces_failed_only = false;  // podReplacementPolicy: Failed
  std::vector<PodFailureRule> failure_rules;
  std::string managed_by;  // empty: the cluster's Job controller
  std::optional<JobScheduling> scheduling;
  PodTemplate pods;
  JobStatus status;
};

// The rule of v1.36, which holds for Jobs without spec.scheduling: an Indexed Job of more than one
// pod, all of which run at once.
bool has_gang_shape(const Job& job);
// Such a Job whose pods do not name a group themselves.
bool is_gang_by_shape(const Job& job);

}  // namespace tutti::model
