// One look at one Job.
//
//   count pods that ended ─> has it failed? ──yes──> end its pods
//                                 │ no
//                                 ├─ suspended ────> end its pods, without counting them
//                                 └─ else ─────────> remove pods beyond its size, make those
//                                 missing
//   ─> is it complete? ─> write the status ─> let go of the pods that were counted
//
// A Job that is at its end first says so (FailureTarget, SuccessCriteriaMet) and is finished
// (Failed, Complete) when the last of its pods is gone.
#pragma once

#include <limits>
#include <unordered_map>

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/job/backoff.h"
#include "controllers/job/indexes.h"
#include "controllers/job/job_groups.h"
#include "controllers/job/job_pods.h"
#include "controllers/pod_stamp.h"
#include "model/job.h"

namespace tutti::controllers {

// Complete or Failed; null while it is neither.
const model::Condition* end_condition(const model::Job& job);

// What must be remembered of a Job between two looks and is not in its status.
struct JobMemory {
  Backoff backoff;
  // By index, or -1: the name of a pod does not depend on how others of the Job fared.
  std::unordered_map<std::int32_t, std::uint64_t> pods_made;
  // The first look is to find out whether the Job, which was copied from another cluster, could not
  // have the pods that it wants there. After failures it waits as it would have; otherwise, because
  // of a quota, it has no more at once here either.
  bool is_copy = false;
  std::int32_t pods_max = std::numeric_limits<std::int32_t>::max();
};

class JobSync {
 public:
  struct Outcome {
    std::optional<Instant> look_again;
    bool refused = false;  // something could not be created: the cluster must change first
  };

  // All must outlive it. Requires a Job that has not ended.
  JobSync(Cluster& cluster, JobGroups& groups, std::shared_ptr<const model::Job> job,
          JobMemory& memory);

  Outcome run();

 private:
  struct Ending {
    bool failed = false;
    std::string reason;
    std::string message;
  };

  void count_ended_pods();
  std::optional<Ending> find_failure();
  std::optional<Ending> find_completion() const;
  bool past_deadline();
  void end_active_pods(bool counted);
  void manage_pods();
  std::int32_t wanted_pods() const;
  std::int32_t missing_pods() const;
  void note_limit();
  void create_pods(std::int32_t count);
  bool create_pod(const PodStamp& stamp, std::optional<std::int32_t> index);
  PodStamp make_stamp() const;
  std::vector<std::int32_t> next_indexes(std::int32_t count) const;
  void set_suspended_condition();
  void write_status();
  void finish();
  void release_counted_pods();
  void look_again(Instant when);
  void note(bool warning, std::string reason, std::string message);
  std::int32_t terminating_pods() const;

  Cluster& cluster_;
  JobGroups& groups_;
  std::shared_ptr<const model::Job> job_;
  JobMemory& memory_;
  model::JobStatus status_;
  Outcome outcome_;

  std::vector<PodPtr> pods_;
  std::vector<PodPtr> active_;
  std::vector<PodPtr> removed_;  // by this look
  std::vector<PodPtr> counted_;  // to be let go of once the status says so
  Indexes completed_;            // of an Indexed Job
  JobGroups::GroupPtr group_;
  std::optional<Ending> ending_;
};

}  // namespace tutti::controllers
