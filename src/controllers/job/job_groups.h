// The Workload and the PodGroup of a Job.
//
//   the Job                                       rule    gets
//   template names a schedulingGroup              –       nothing: its author takes care
//   no spec.scheduling, is_gang_by_shape()        v1.36   Workload and PodGroup, gang of
//   parallelism spec.scheduling, no controller above it       v1.37   Workload and PodGroup: basic,
//   or the gang
//                                                         it asks for
//   annotation group-template-name and a          v1.37   PodGroup from that template of the
//   controller above it                                   controller's Workload
//   anything else                                 –       nothing
//
// Objects are made only for a Job that has never started; one that has keeps those it finds.
// In a copied cluster, which has no Workloads, that is the group that the Job controls. Whatever is
// ambiguous or belongs to someone else is left alone, and the Job's pods are then scheduled one by
// one.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/job/group_index.h"
#include "model/group.h"
#include "model/job.h"

namespace tutti::controllers {

inline constexpr std::string_view kJobReporter = "job-controller";
inline constexpr std::string_view kGroupTemplateName = "scheduling.k8s.io/group-template-name";

// Where Jobs come from that had started when they came here. What one of a copied cluster lacks it
// could not get there, or it was not copied, as Workloads are not.
enum class Origin : std::uint8_t { made_here, copied };

// Whether a controller above the Job leaves the PodGroup to it.
bool is_delegated(const model::Job& job);

class JobGroups {
 public:
  using GroupPtr = std::shared_ptr<const model::PodGroup>;

  // All must outlive it.
  JobGroups(Cluster& cluster, GroupIndex& index, Origin origin)
      : cluster_(cluster), index_(index), origin_(origin) {}

  // The group that the Job's pods join; null: none. An error: pods must wait, because an object
  // that the Job should have could not be made.
  Result<GroupPtr> ensure(const model::Job& job, bool has_pods);

 private:
  using WorkloadPtr = std::shared_ptr<const model::Workload>;

  Result<GroupPtr> ensure_by_rule(const model::Job& job, bool is_new);
  Result<GroupPtr> ensure_by_shape(const model::Job& job, bool is_new);
  Result<GroupPtr> ensure_as_asked(const model::Job& job, bool is_new);
  Result<GroupPtr> ensure_delegated(const model::Job& job, bool is_new);
  Result<WorkloadPtr> create_workload(const model::Job& job, model::Workload workload);
  Result<GroupPtr> create_group(const model::Job& job, const model::Workload& workload,
                                const model::GroupTemplate& form, bool owned_by_workload);
  Status follow_minimum(std::int32_t minimum, const WorkloadPtr& workload, const GroupPtr& group);
  GroupPtr group_of(const model::Job& job) const;
  WorkloadPtr workload_above(const model::Job& job) const;
  Result<model::ObjectPtr> create(const model::Object& object);
  void note(const model::Job& job, bool warning, std::string reason, std::string message);

  Cluster& cluster_;
  GroupIndex& index_;
  Origin origin_;
};

}  // namespace tutti::controllers
