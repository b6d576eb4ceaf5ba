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

// One level of nested slices: the pods of a slice are cut into parts of `size` that each fill a
// domain of `topology`.
struct SliceLayer {
  std::string topology;
  std::int32_t size = 0;
  bool operator==(const SliceLayer&) const = default;
};

// Where the pods of a set want to be, relative to each other. Keys of levels; empty: not asked for.
struct PodSetTopologyRequest {
  std::string required;
  std::string preferred;
  // Any place will do, but places are counted and given: no more pods than nodes can hold.
  std::optional<bool> unconstrained;
  // Labels by which a pod says its rank among all, and among its sub-group.
  std::string pod_index_label;
  std::string sub_group_index_label;
  std::optional<std::int32_t> sub_group_count;
  std::string group;  // sets of one group go to the same domain
  // The pods are cut into slices of this size; each slice must fit into one domain of this level.
  std::string slice_topology;
  std::optional<std::int32_t> slice_size;
  std::vector<SliceLayer> slice_layers;
  bool operator==(const PodSetTopologyRequest&) const = default;
};

// Pods of one template.
struct PodSet {
  std::string name = "main";
  PodTemplate pods;
  std::int32_t count = 1;
  std::optional<std::int32_t> min_count;  // absent: all or none
  std::optional<PodSetTopologyRequest> topology;
  bool operator==(const PodSet&) const = default;
};

// Names a PriorityClass or a WorkloadPriorityClass.
struct PriorityClassReference {
  std::string group;
  std::string kind;
  std::string name;
  bool operator==(const PriorityClassReference&) const = default;
};

// What is asked for. The pod sets are fixed once quota is reserved.
struct AdmissionRequestSpec {
  std::vector<PodSet> pod_sets;
  std::string queue;
  std::optional<PriorityClassReference> priority_class;
  std::optional<std::int32_t> priority;
  // False: it holds nothing and waits for nobody, until someone sets it.
  bool active = true;
  // How long it may be admitted, over all its admissions; then it is deactivated.
  std::optional<std::int32_t> max_execution_seconds;
  std::vector<std::string> preemption_gates;
  bool operator==(const AdmissionRequestSpec&) const = default;
};

// Says how many pods of the set go to the domain with these values.
struct AssignedDomain {
  std::vector<std::string> values;  // one per level
  std::int32_t pods = 0;
  bool operator==(const AssignedDomain&) const = default;
};

// Where the pods of a set were given places. Levels from the widest to the narrowest.
struct TopologyAssignment {
  std::vector<std::string> levels;
  std::vector<AssignedDomain> domains;
  bool operator==(const TopologyAssignment&) const = default;
};

// What the pods of one set were given.
struct PodSetAssignment {
  std::string pod_set = "main";
  Labels flavors;      // by resource
  ResourceList usage;  // of all pods together
  // Fewer than asked for when the set may start with less; absent: as many as asked for.
  std::optional<std::int32_t> count;
  std::optional<TopologyAssignment> topology;
  std::string delayed_topology;  // Pending, Ready; empty: nothing is delayed
  bool operator==(const PodSetAssignment&) const = default;
};

// What the request was given: charged to the queue from this moment on.
struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;
  bool operator==(const Admission&) const = default;
};

// How often it was evicted for not getting ready, and when it may be tried again.
struct RequeueState {
  std::optional<std::int32_t> count;
  std::optional<Instant> at;
  bool operator==(const RequeueState&) const = default;
};

// Pods of the set that have ended and will not come again: their quota is free before the rest's.
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

// What a check says: ready lets the request in, retry gives its quota back, rejected ends it.
enum class CheckState : std::uint8_t { pending, ready, retry, rejected };

// The answer of one check, written by its controller.
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

// What one pod set needs in all, as quota counts it; shown while it waits, too.
struct PodSetRequest {
  std::string pod_set;
  ResourceList amounts;
  bool operator==(const PodSetRequest&) const = default;
};

// How often it was evicted, for what reason and underlying cause.
struct EvictionCount {
  std::string reason;
  std::string cause;
  std::int32_t count = 0;
  bool operator==(const EvictionCount&) const = default;
};

// A gate keeps the request from having others evicted until someone opens it.
struct PreemptionGateState {
  std::string gate;
  bool open = false;
  std::optional<Instant> last_transition;
  bool operator==(const PreemptionGateState&) const = default;
};

// What became of the request. The conditions say which stage it is in.
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

// Whether the condition is True; one that is missing is not.
bool has_condition(const AdmissionRequest& request, std::string_view type);
inline bool has_quota(const AdmissionRequest& request) {
  return has_condition(request, "QuotaReserved");
}

}  // namespace tutti::model
