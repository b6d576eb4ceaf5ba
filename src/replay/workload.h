// Workload: the jobs and nodes of a trace as the objects a scheduler sees.
#pragma once

#include <map>

#include "base/std.h"
#include "model/admission_request.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"
#include "trace/job.h"

namespace tutti::replay {

using JobIndex = std::uint32_t;

// How GPUs are counted: whole ones, or thousandths where some job wants a part of one or a policy
// looks at single devices.
enum class GpuUnit : std::uint8_t { whole, thousandths };
GpuUnit unit_for(std::span<const trace::Job> jobs, bool policy_looks_at_devices);

// Names of pods, by which their job is known again: "00000012-3.1" is pod 3 of job 12, in its
// second attempt. Their order is that of the jobs.
std::string pod_name(JobIndex job, std::int32_t replica, std::int32_t attempt);
struct PodIndex {
  JobIndex job = 0;
  std::int32_t replica = 0;
};
PodIndex index_of(std::string_view pod_name);

class Workload {
 public:
  // The jobs must outlive it. `priorities`: jobs keep theirs; otherwise all are alike. `in_queue`:
  // jobs are requests first, and pods of an admitted one are no group.
  Workload(std::span<const trace::Job> jobs, GpuUnit unit, bool priorities, bool in_queue = false)
      : jobs_(jobs), unit_(unit), priorities_(priorities), in_queue_(in_queue) {}

  std::span<const trace::Job> jobs() const { return jobs_; }
  std::shared_ptr<model::Pod> make_pod(PodIndex index, std::int32_t attempt);
  // Null for a job of one pod, which needs none.
  std::shared_ptr<const model::PodGroup> make_group(JobIndex job) const;
  bool is_gang(JobIndex job) const { return jobs_[job].replicas > 1; }
  bool is_group(JobIndex job) const { return is_gang(job) && !in_queue_; }
  // The job as a request to the one queue there is.
  std::shared_ptr<const model::AdmissionRequest> make_request(JobIndex job, Instant now);
  static JobIndex job_of(const model::AdmissionRequest& request);
  // That queue, and the door to it.
  static std::vector<model::ObjectPtr> make_queue(bool strict);
  // `name`: the order of names is the last word in every tie.
  std::shared_ptr<const model::Node> make_node(const trace::Node& node, std::string name) const;

 private:
  std::shared_ptr<const model::PodSpec> spec_of(JobIndex job);

  std::span<const trace::Job> jobs_;
  GpuUnit unit_;
  bool priorities_;
  bool in_queue_;
  // Jobs that ask for the same share a spec; those of groups name theirs.
  std::map<std::string, std::shared_ptr<const model::PodSpec>> specs_;
};

}  // namespace tutti::replay
