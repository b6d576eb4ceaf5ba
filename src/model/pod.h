// Pod: every field that takes part in a scheduling decision.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/resources.h"
#include "model/selector.h"

namespace tutti::model {

enum class Protocol : std::uint8_t { tcp, udp, sctp };

// Only a host port ties a pod to a node: two pods cannot have the same one there, unless their
// addresses or protocols differ.
struct ContainerPort {
  std::int32_t container_port = 0;
  std::int32_t host_port = 0;  // 0: none
  std::string host_ip;         // empty means 0.0.0.0
  Protocol protocol = Protocol::tcp;
  bool operator==(const ContainerPort&) const = default;
};

// An entry of resources.claims of a container: which of the pod's claims it uses.
struct ContainerClaim {
  std::string name;     // of an entry of the pod's spec.resourceClaims
  std::string request;  // empty: all that the claim has
  bool operator==(const ContainerClaim&) const = default;
};

// An entry of containers or initContainers, as far as it decides what a node must have.
struct Container {
  std::string name;
  std::string image;
  ResourceList requests;  // limits fill in missing requests at admission, as the API server does
  ResourceList limits;
  std::vector<ContainerClaim> claims;
  std::vector<ContainerPort> ports;
  bool restart_always = false;  // of an init container: it is a sidecar
  bool operator==(const Container&) const = default;
};

// Says which taints the pod puts up with, on nodes and on devices.
struct Toleration {
  enum class Operator : std::uint8_t { equal, exists, lt, gt };
  std::string key;  // empty with exists: every key
  Operator op = Operator::equal;
  std::string value;
  std::string effect;  // empty: every effect
  // For NoExecute only: how long after the taint came the pod may stay. Absent: for ever.
  std::optional<std::int64_t> toleration_seconds;
  bool operator==(const Toleration&) const = default;
};

// A term with neither expressions nor fields matches no node.
struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions;
  std::vector<Requirement> match_fields;
  bool operator==(const NodeSelectorTerm&) const = default;
};
// A wish, not a condition: nodes that match it are worth `weight`, 1 to 100, more.
struct PreferredNodeTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm term;
  bool operator==(const PreferredNodeTerm&) const = default;
};
struct NodeAffinity {
  std::optional<std::vector<NodeSelectorTerm>> required;  // ORed; present and empty matches nothing
  std::vector<PreferredNodeTerm> preferred;
  bool operator==(const NodeAffinity&) const = default;
};

// Which pods a term is about, and how near to them it speaks of: in one domain of `topology_key`.
struct PodAffinityTerm {
  std::optional<LabelSelector> selector;  // absent: matches no pod
  // Together with those that the selector below matches; both empty: the pod's own.
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  // present and empty: every namespace
  std::string topology_key;
  // Merged into `selector` at admission from the pod's own labels.
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;
  bool operator==(const PodAffinityTerm&) const = default;
};
struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;
  bool operator==(const WeightedPodAffinityTerm&) const = default;
};
// Affinity and anti-affinity alike: near those pods, or far from them.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  bool operator==(const PodAffinity&) const = default;
};

// Bounds how unevenly the pods that `selector` matches may lie over the domains of a key.
struct TopologySpreadConstraint {
  // How many more a domain may hold than the one that holds the fewest.
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool hard = true;  // DoNotSchedule; otherwise ScheduleAnyway
  std::optional<LabelSelector> selector;
  // With fewer domains than this the fewest counts as none. Of hard constraints only.
  std::optional<std::int32_t> min_domains;
  // Whether nodes that the pod could not use anyway count as places for others.
  bool honor_node_affinity = true;
  bool honor_node_taints = false;
  std::vector<std::string> match_label_keys;
  bool operator==(const TopologySpreadConstraint&) const = default;
};

// What of a volume can forbid a node: disks that only one machine attaches, and claims.
struct Volume {
  enum class Source : std::uint8_t {
    other,
    claim,
    ephemeral,
    gce_disk,
    aws_disk,
    iscsi,
    rbd,
    csi,
    image
  };
  std::string name;
  Source source = Source::other;
  std::string id;  // claim name, disk name, volume id, "target:iqn" … what identifies the volume
  std::vector<std::string> monitors;  // rbd
  std::string pool;                   // rbd
  std::string driver;                 // csi (inline)
  bool read_only = false;
  bool operator==(const Volume&) const = default;
};

// An entry of spec.resourceClaims of a pod or a group.
struct ClaimReference {
  std::string name;
  std::string claim_name;  // exactly one of these two is set
  std::string template_name;
  bool operator==(const ClaimReference&) const = default;
};

// Which claim stands behind an entry, in the status of a pod or a group.
struct ClaimStatus {
  std::string name;
  std::string claim_name;  // empty: none is needed
  bool operator==(const ClaimStatus&) const = default;
};

// Which request of a claim serves an extended resource of a container.
struct ExtendedRequest {
  std::string container;
  std::string resource;
  std::string request;
  bool operator==(const ExtendedRequest&) const = default;
};

// The claim that was made for the extended resources of a pod, in its status.
struct ExtendedClaim {
  std::string claim_name;  // empty: none was made
  SharedList<ExtendedRequest> requests;
  bool operator==(const ExtendedClaim&) const = default;
};

// Shared by all pods stamped from one template: interned by the reader, never changed in place.
// What admission or binding may change lives on Pod.
struct PodSpec {
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  // What the runtime class takes beside the containers; counts as a request.
  ResourceList overhead;
  ResourceList pod_requests;  // spec.resources.requests: pod-level, replaces the containers' totals
  Labels node_selector;
  NodeAffinity node_affinity;
  PodAffinity affinity;
  PodAffinity anti_affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> spread;
  // While there is any, the pod waits unseen; whoever set a gate takes it away.
  std::vector<std::string> scheduling_gates;
  std::vector<Volume> volumes;
  std::vector<ClaimReference> resource_claims;
  std::string scheduler_name;  // empty: default-scheduler
  std::string priority_class_name;
  std::string scheduling_group;  // schedulingGroup.podGroupName; empty: a lone pod
  std::string restart_policy;    // empty: Always
  std::optional<std::int64_t> active_deadline_seconds;    // from the start on; then it fails
  std::optional<std::int64_t> termination_grace_seconds;  // absent: 30
  bool host_network = false;
  bool operator==(const PodSpec&) const = default;
};

enum class PodPhase : std::uint8_t { pending, running, succeeded, failed, unknown };

// What the kubelet reports of a container's resources during an in-place resize.
struct ContainerResources {
  std::string name;
  ResourceList allocated;
  ResourceList actual;
  bool operator==(const ContainerResources&) const = default;
};

// The parts of the status that the scheduler reads, writes, or hands on to whoever it tells.
struct PodStatus {
  PodPhase phase = PodPhase::pending;
  Conditions conditions;
  // The node that is being cleared for a preemptor, or is meant for it.
  std::string nominated_node;
  std::string reason;
  std::string message;
  std::optional<Instant> start_time;
  std::optional<Instant> finished;  // when the last container ended; read only
  SharedList<ContainerResources> container_resources;
  SharedList<ClaimStatus> claim_statuses;
  ExtendedClaim extended_claim;
};

// Whether the pod may have others evicted; it may be evicted itself either way.
enum class PreemptionPolicy : std::uint8_t { preempt_lower_priority, never };

// The spec is shared with its siblings, so that what differs from pod to pod stands here.
struct Pod : Object {
  static constexpr Kind kKind = Kind::pod;
  Pod() : Object(kKind) {}

  std::shared_ptr<const PodSpec> spec;
  std::string node_name;                 // spec.nodeName; empty: unassigned
  std::optional<std::int32_t> priority;  // resolved by admission; absent counts as 0
  std::optional<PreemptionPolicy> preemption_policy;
  PodStatus status;

  bool terminal() const {
    return status.phase == PodPhase::succeeded || status.phase == PodPhase::failed;
  }
};

}  // namespace tutti::model
