// kueue.x-k8s.io Workload, which we call an admission request: pods that ask a queue for quota, and
// what they were given. A Workload of scheduling.k8s.io (group.h) is another: a template of gangs.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/pod_template.h"
#include "model/quota.h"
#include "model/resources.h"

namespace tutti::model {

struct SliceLayer {
  std::string topology;
  std::int32_t size = 0;
  bool operator==(const SliceLayer&) const = default;
};

// Where the pods of a set want to be, relative to each other. Keys of levels; empty: not asked for.
struct PodSetTopologyRequest {
  std::string required;
  std::string preferred;
  std::optional<bool> unconstrained;
  std::string pod_index_label;
  std::string sub_group_index_label;
  std::optional<std::int32_t> sub_group_count;
  std::string group;  // sets of one group go to the same domain
  std::string slice_topology;
  std::optional<std::int32_t> slice_size;
  std::vector<SliceLayer> slice_layers;
  bool operator==(const PodSetTopologyRequest&) const = default;
};

struct PodSet {
  std::string name = "main";
  PodTemplate pods;
  std::int32_t count = 1;
  std::optional<std::int32_t> min_count;  // absent: all or none
  std::optional<PodSetTopologyRequest> topology;
  bool operator==(const PodSet&) const = default;
};

struct PriorityClassReference {
  std::string group;
  std::string kind;
  std::string name;
  bool operator==(const PriorityClassReference&) const = default;
};

struct AdmissionRequestSpec {
  std::vector<PodSet> pod_sets;
  std::string queue;
  std::optional<PriorityClassReference> priority_class;
  std::optional<std::int32_t> priority;
  bool active = true;
  std::optional<std::int32_t> max_execution_seconds;
  std::vector<std::string> preemption_gates;
  bool operator==(const AdmissionRequestSpec&) const = default;
};

struct AssignedDomain {
  std::vector<std::string> values;  // one per level
  std::int32_t pods = 0;
  bool operator==(const AssignedDomain&) const = default;
};

struct TopologyAssignment {
  std::vector<std::string> levels;
  std::vector<AssignedDomain> domains;
  bool operator==(const TopologyAssignment&) const = default;
};

struct PodSetAssignment {
  std::string pod_set = "main";
  Labels flavors;      // by resource
  ResourceList usage;  // of all pods together
  std::optional<std::int32_t> count;
  std::optional<TopologyAssignment> topology;
  std::string delayed_topology;  // Pending, Ready; empty: nothing is delayed
  bool operator==(const PodSetAssignment&) const = default;
};

struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;
  bool operator==(const Admission&) const = default;
};

struct RequeueState {
  std::optional<std::int32_t> count;
  std::optional<Instant> at;
  bool operator==(const RequeueState&) const = default;
};

struct ReclaimablePods {
  std::string pod_set;
  std::int32_t count = 0;
  bool operator==(const ReclaimablePods&) const = default;
};

// What a check wants to be added to the pods of a set.
struct PodSetUpdate {
  std::string pod_set;
  Labels labels;
  Labels annotations;
  Labels node_selector;
  std::vector<Toleration> tolerations;
  bool operator==(const PodSetUpdate&) const = default;
};

enum class CheckState : std::uint8_t { pending, ready, retry, rejected };

struct AdmissionCheckState {
  std::string check;
  CheckState state = CheckState::pending;
  std::optional<Instant> last_transition;
  std::string message;
  std::optional<std::int32_t> requeue_after_seconds;
  std::optional<std::int32_t> retries;
  std::vector<PodSetUpdate> updates;
  bool operator==(const AdmissionCheckState&) const = default;
};

struct PodSetRequest {
  std::string pod_set;
  ResourceList amounts;
  bool operator==(const PodSetRequest&) const = default;
};

struct EvictionCount {
  std::string reason;
  std::string cause;
  std::int32_t count = 0;
  bool operator==(const EvictionCount&) const = default;
};

struct PreemptionGateState {
  std::string gate;
  bool open = false;
  std::optional<Instant> last_transition;
  bool operator==(const PreemptionGateState&) const = default;
};

struct AdmissionRequestStatus {
  Conditions conditions;
  std::optional<Admission> admission;
  std::optional<RequeueState> requeue;
  std::vector<ReclaimablePods> reclaimable;
  std::vector<AdmissionCheckState> checks;
  std::vector<PodSetRequest> requests;
  std::optional<std::int32_t> past_execution_seconds;
  std::vector<EvictionCount> evictions;
  std::vector<std::string> unhealthy_nodes;
  std::vector<PreemptionGateState> preemption_gates;
  std::vector<std::string> nominated_clusters;
  std::string cluster;
  UnknownWords unknown_words;
  bool operator==(const AdmissionRequestStatus&) const = default;
};

struct AdmissionRequest : Object {
  static constexpr Kind kKind = Kind::admission_request;
  AdmissionRequest() : Object(kKind) {}
  AdmissionRequestSpec spec;
  AdmissionRequestStatus status;
};

bool has_condition(const AdmissionRequest& request, std::string_view type);
inline bool has_quota(const AdmissionRequest& request) {
  return has_condition(request, "QuotaReserved");
}

}  // namespace tutti::model
