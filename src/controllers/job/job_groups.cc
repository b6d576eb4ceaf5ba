#include "controllers/job/job_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/names.h"

namespace tutti::controllers {
namespace {

using model::GroupTemplate;
using model::Job;
using model::PodGroup;
using model::Workload;

bool never_started(const Job& job, bool has_pods) {
  const auto& status = job.status;
  return !has_pods && !status.start_time && status.succeeded == 0 && status.failed == 0 &&
         model::find(status.conditions, "Suspended") == nullptr;
}

GroupTemplate template_by_shape(const Job& job) {
  GroupTemplate form;
  form.name = fmt::format("{}-pgt-0", job.meta.name);
  form.spec.policy = {true, job.parallelism.value_or(1)};
  return form;
}

std::int32_t asked_minimum(const Job& job) {
  return job.scheduling->minimum.value_or(std::max(1, job.parallelism.value_or(1)));
}

GroupTemplate template_as_asked(const Job& job) {
  GroupTemplate form;
  form.name = fmt::format("{}-pgt-0", job.meta.name);
  form.spec.policy = {job.scheduling->gang, job.scheduling->gang ? asked_minimum(job) : 1};
  form.spec.topology_key = job.scheduling->topology_key;
  form.spec.disruption = job.scheduling->disruption;
  form.spec.resource_claims = job.scheduling->resource_claims;
  form.spec.priority_class_name = job.pods.spec->priority_class_name;
  return form;
}

Workload workload_for(const Job& job, std::string_view api_version, GroupTemplate form) {
  Workload workload;
  workload.api_version = api_version;
  workload.meta.ns = job.meta.ns;
  workload.meta.name = workload_name(job.meta.name, job.meta.uid);
  workload.meta.owners = {controller_reference(job)};
  workload.controller = {"batch", "Job", job.meta.name};
  workload.pod_groups.push_back(std::move(form));
  return workload;
}

template <typename Ptr>
void keep_controlled(std::vector<Ptr>& objects, const Job& job) {
  std::erase_if(objects, [&](const Ptr& one) { return !is_controlled_by(one->meta, job); });
}

}  // namespace

bool is_delegated(const Job& job) {
  return model::find(job.meta.annotations, kGroupTemplateName) != nullptr &&
         controller_of(job.meta) != nullptr;
}

Result<JobGroups::GroupPtr> JobGroups::ensure(const Job& job, bool has_pods) {
  if (!job.pods.spec->scheduling_group.empty()) return GroupPtr();
  TUTTI_ASSIGN(GroupPtr group, ensure_by_rule(job, never_started(job, has_pods)));
  return group == nullptr && origin_ == Origin::copied ? group_of(job) : group;
}

Result<JobGroups::GroupPtr> JobGroups::ensure_by_rule(const Job& job, bool is_new) {
  if (is_delegated(job)) return ensure_delegated(job, is_new);
  if (job.scheduling && controller_of(job.meta) == nullptr) return ensure_as_asked(job, is_new);
  if (model::is_gang_by_shape(job)) return ensure_by_shape(job, is_new);
  return GroupPtr();
}

Result<JobGroups::GroupPtr> JobGroups::ensure_by_shape(const Job& job, bool is_new) {
  const auto workloads = index_.workloads_of(job, cluster_.objects());
  if (workloads.size() > 1 || (workloads.empty() && !is_new)) return GroupPtr();
  WorkloadPtr workload;
  if (workloads.empty()) {
    TUTTI_ASSIGN(workload, create_workload(job, workload_for(job, model::kSchedulingV1Alpha2,
                                                             template_by_shape(job))));
  } else {
    workload = workloads.front();
  }
  if (!is_controlled_by(workload->meta, job) || workload->pod_groups.size() != 1) return GroupPtr();
  const auto groups = index_.groups_of(*workload, cluster_.objects());
  if (groups.empty()) return create_group(job, *workload, workload->pod_groups.front(), true);
  const bool ours = groups.size() == 1 && is_controlled_by(groups.front()->meta, job);
  return ours ? groups.front() : GroupPtr();
}

Result<JobGroups::GroupPtr> JobGroups::ensure_as_asked(const Job& job, bool is_new) {
  auto workloads = index_.workloads_of(job, cluster_.objects());
  keep_controlled(workloads, job);
  if (workloads.size() > 1 || (workloads.empty() && !is_new)) return GroupPtr();
  if (workloads.empty()) {
    TUTTI_ASSIGN(auto made, create_workload(job, workload_for(job, model::kSchedulingV1Beta1,
                                                              template_as_asked(job))));
    workloads.push_back(std::move(made));
  }
  const WorkloadPtr workload = workloads.front();
  if (workload->pod_groups.size() != 1) {
    return Error{Error::Code::invalid,
                 fmt::format("Workload {} has {} templates, a Job's has one", workload->meta.name,
                             workload->pod_groups.size())};
  }
  auto groups = index_.groups_of(*workload, cluster_.objects());
  keep_controlled(groups, job);
  if (groups.size() > 1 || (groups.empty() && !is_new)) return GroupPtr();
  if (groups.empty()) return create_group(job, *workload, workload->pod_groups.front(), true);
  if (job.scheduling->gang) {
    TUTTI_TRY(follow_minimum(asked_minimum(job), workload, groups.front()));
  }
  return groups.front();
}

Result<JobGroups::GroupPtr> JobGroups::ensure_delegated(const Job& job, bool is_new) {
  const WorkloadPtr workload = workload_above(job);
  if (!workload) return GroupPtr();
  const std::string& name = *model::find(job.meta.annotations, kGroupTemplateName);
  const auto form = std::ranges::find(workload->pod_groups, name, &GroupTemplate::name);
  if (form == workload->pod_groups.end()) return GroupPtr();
  auto groups = index_.groups_of(*workload, cluster_.objects());
  keep_controlled(groups, job);
  if (groups.empty()) {
    return is_new ? create_group(job, *workload, *form, false) : Result<GroupPtr>(GroupPtr());
  }
  if (form->spec.policy.gang && groups.front()->spec.policy.gang) {
    TUTTI_TRY(follow_minimum(form->spec.policy.minimum, nullptr, groups.front()));
  }
  return groups.front();
}

// The only one that it controls.
JobGroups::GroupPtr JobGroups::group_of(const Job& job) const {
  std::vector<GroupPtr> groups;
  for (const auto& key : cluster_.dependents().of(job.meta.uid, model::Kind::pod_group)) {
    groups.push_back(cluster_.objects().find<PodGroup>(key.ns, key.name));
  }
  std::erase(groups, nullptr);
  keep_controlled(groups, job);
  return groups.size() == 1 ? groups.front() : nullptr;
}

// The Workload of the controller that the Job belongs to.
JobGroups::WorkloadPtr JobGroups::workload_above(const Job& job) const {
  const auto* above = controller_of(job.meta);
  const auto is_its = [&](const model::Object& object) {
    const auto& reference = model::as<Workload>(object).controller;
    return reference && reference->kind == above->kind && reference->name == above->name &&
           reference->api_group == api_group_of(above->api_version);
  };
  const auto found = cluster_.objects().list(model::Kind::workload, job.meta.ns, is_its);
  return found.empty() ? nullptr : std::static_pointer_cast<const Workload>(found.front());
}

Result<JobGroups::WorkloadPtr> JobGroups::create_workload(const Job& job, Workload workload) {
  auto made = create(workload);
  if (!made.ok()) {
    note(job, true, "FailedWorkloadCreate",
         fmt::format("Failed to create Workload for Job {}: {}", job.meta.name,
                     made.error().message));
    return std::move(made).error();
  }
  note(job, false, "WorkloadCreated",
       fmt::format("Created Workload {} for Job {}", workload.meta.name, job.meta.name));
  return std::static_pointer_cast<const Workload>(*made);
}

// v1.36 takes only the policy from the template, and says nothing of the group.
Result<JobGroups::GroupPtr> JobGroups::create_group(const Job& job, const Workload& workload,
                                                    const GroupTemplate& form,
                                                    bool owned_by_workload) {
  const bool alpha2 = workload.api_version == model::kSchedulingV1Alpha2;
  PodGroup group;
  group.api_version = workload.api_version;
  group.meta.ns = job.meta.ns;
  group.meta.name = pod_group_name(workload.meta.name, form.name);
  group.meta.owners = {controller_reference(job)};
  if (owned_by_workload) group.meta.owners.push_back(plain_reference(workload));
  group.workload = {workload.meta.name, form.name};
  if (alpha2) {
    group.spec.policy = form.spec.policy;
  } else {
    group.spec = form.spec;
  }
  TUTTI_ASSIGN(const auto made, create(group));
  if (!alpha2) {
    note(job, false, "PodGroupCreated",
         fmt::format("Created PodGroup {} for Job {}", group.meta.name, job.meta.name));
  }
  return std::static_pointer_cast<const PodGroup>(made);
}

Status JobGroups::follow_minimum(std::int32_t minimum, const WorkloadPtr& workload,
                                 const GroupPtr& group) {
  const auto differs = [&](const model::GroupSpec& spec) {
    return spec.policy.gang && spec.policy.minimum != minimum;
  };
  if (workload && differs(workload->pod_groups.front().spec)) {
    Workload next = *workload;
    next.pod_groups.front().spec.policy.minimum = minimum;
    TUTTI_TRY(cluster_.update(next));
  }
  if (differs(group->spec)) {
    PodGroup next = *group;
    next.spec.policy.minimum = minimum;
    TUTTI_TRY(cluster_.update(next));
  }
  return ok_status();
}

Result<model::ObjectPtr> JobGroups::create(const model::Object& object) {
  auto made = cluster_.create(object);
  if (made.ok()) index_.add(**made);
  return made;
}

void JobGroups::note(const Job& job, bool warning, std::string reason, std::string message) {
  cluster_.record({kJobReporter, cluster_.objects().get(model::key_of(job)), warning,
                   std::move(reason), std::move(message)});
}

}  // namespace tutti::controllers
