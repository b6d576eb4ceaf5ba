// scheduling.k8s.io: Workload, PodGroup and CompositePodGroup of all served versions in one form.
//
// The three versions differ in field names and in the union forms of disruptionMode and of the
// template reference; `api_version` of the object remembers which one it was, and decides the
// condition type written back and whether members may have another priority than their group.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {

inline constexpr std::string_view kSchedulingV1Alpha2 = "scheduling.k8s.io/v1alpha2";
inline constexpr std::string_view kSchedulingV1Alpha3 = "scheduling.k8s.io/v1alpha3";
inline constexpr std::string_view kSchedulingV1Beta1 = "scheduling.k8s.io/v1beta1";

// The condition of a CompositePodGroup; a PodGroup's depends on its version.
inline constexpr std::string_view kCompositeScheduled = "CompositePodGroupInitiallyScheduled";

// basic: members are placed as they fit. gang: at least `minimum` of them or none; members are pods
// under a PodGroup and child groups under a CompositePodGroup.
struct SchedulingPolicy {
  bool gang = false;
  std::int32_t minimum = 1;  // of a basic policy: 1, so "placed ≥ minimum" reads the same for both
  bool operator==(const SchedulingPolicy&) const = default;
};

// Kubernetes takes single for what is not written. To us it is a third thing: a gang that does not
// ask for its members to fall one by one does not fall below its minimum in part.
enum class DisruptionMode : std::uint8_t { single, all };

struct WorkloadReference {
  std::string workload;
  std::string template_name;
  bool operator==(const WorkloadReference&) const = default;
};

// The fields PodGroup, CompositePodGroup and their templates have in common.
struct GroupSpec {
  SchedulingPolicy policy;
  std::string topology_key;                     // empty: unconstrained
  std::vector<ClaimReference> resource_claims;  // PodGroup only
  std::optional<DisruptionMode> disruption;     // absent: not written
  std::string priority_class_name;
  std::optional<std::int32_t> priority;
  std::optional<PreemptionPolicy> preemption_policy;
  bool operator==(const GroupSpec&) const = default;
};

struct PodGroup : Object {
  static constexpr Kind kKind = Kind::pod_group;
  PodGroup() : Object(kKind) {}
  GroupSpec spec;
  std::optional<WorkloadReference> workload;
  std::string parent;  // name of the CompositePodGroup above; empty: this group is a root
  Conditions conditions;
  std::vector<ClaimStatus> claim_statuses;
};

struct CompositePodGroup : Object {
  static constexpr Kind kKind = Kind::composite_pod_group;
  CompositePodGroup() : Object(kKind) {}
  GroupSpec spec;
  std::optional<WorkloadReference> workload;
  std::string parent;
  Conditions conditions;
};

struct GroupTemplate {
  std::string name;
  GroupSpec spec;
  std::vector<GroupTemplate> pod_groups;  // children; empty for a PodGroup template
  std::vector<GroupTemplate> composites;
  bool operator==(const GroupTemplate&) const = default;
};

struct ControllerReference {
  std::string api_group;
  std::string kind;
  std::string name;
  bool operator==(const ControllerReference&) const = default;
};

struct Workload : Object {
  static constexpr Kind kKind = Kind::workload;
  Workload() : Object(kKind) {}
  std::optional<ControllerReference> controller;
  std::vector<GroupTemplate> pod_groups;
  std::vector<GroupTemplate> composites;
};

// An API server writes `single` into groups that say nothing about it, so what is read from one
// tells only by its annotations whether someone wrote that: by what kubectl applied, or by ours.
inline constexpr std::string_view kDisruptionModeAnnotation = "tutti.dev/disruption-mode";
inline constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
bool is_mode_written(const std::vector<std::pair<std::string, std::string>>& annotations);

// "PodGroupScheduled" for v1alpha2, "PodGroupInitiallyScheduled" for the later versions.
std::string_view scheduled_condition_type(const PodGroup& group);
// v1alpha2 lets members have another priority than their group.
bool members_may_differ_in_priority(const PodGroup& group);

}  // namespace tutti::model
