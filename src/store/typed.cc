#include "store/typed.h"

#include <tuple>
#include <type_traits>

namespace tutti::store {
namespace {

using namespace model;

template <typename T, typename... Kinds>
concept OneOf = (std::is_same_v<std::remove_const_t<T>, Kinds> || ...);

// The status fields of a kind, to be read or assigned as one.
auto status_of(OneOf<Pod> auto& pod) { return std::tie(pod.status); }
auto status_of(OneOf<Node> auto& node) {
  return std::tie(node.capacity, node.allocatable, node.conditions, node.images,
                  node.declared_features);
}
auto status_of(OneOf<PodGroup> auto& group) {
  return std::tie(group.conditions, group.claim_statuses);
}
auto status_of(OneOf<CompositePodGroup, DeviceTaintRule, AdmissionCheck> auto& object) {
  return std::tie(object.conditions);
}
auto status_of(OneOf<ResourceClaim> auto& claim) {
  return std::tie(claim.allocation, claim.reserved_for, claim.device_statuses);
}
auto status_of(OneOf<Job> auto& job) { return std::tie(job.status); }
auto status_of(OneOf<Deployment, ReplicaSet, StatefulSet> auto& keeper) {
  return std::tie(keeper.status);
}
auto status_of(OneOf<PodDisruptionBudget> auto& budget) {
  return std::tie(budget.disruptions_allowed, budget.current_healthy, budget.desired_healthy,
                  budget.expected_pods, budget.observed_generation, budget.disrupted_pods);
}
auto status_of(OneOf<PersistentVolumeClaim, PersistentVolume> auto& volume) {
  return std::tie(volume.phase);
}

auto status_of(OneOf<ClusterQueue, LocalQueue, AdmissionRequest> auto& object) {
  return std::tie(object.status);
}
auto status_of(OneOf<Cohort> auto& cohort) { return std::tie(cohort.weighted_share); }

template <typename T>
concept HasStatus = requires(T& object) {
  status_of(object);
};

// Specs are shared by all pods of a template, so the pointers usually decide.
bool same(const Pod& a, const Pod& b) {
  const bool specs = a.spec == b.spec || (a.spec && b.spec && *a.spec == *b.spec);
  return specs && std::tie(a.node_name, a.priority, a.preemption_policy) ==
                      std::tie(b.node_name, b.priority, b.preemption_policy);
}
template <OneOf<PodGroup, CompositePodGroup> T>
bool same(const T& a, const T& b) {
  return std::tie(a.spec, a.workload, a.parent) == std::tie(b.spec, b.workload, b.parent);
}
bool same(const Workload& a, const Workload& b) {
  return std::tie(a.controller, a.pod_groups, a.composites) ==
         std::tie(b.controller, b.pod_groups, b.composites);
}
bool same(const ReplicationController& a, const ReplicationController& b) {
  return a.selector == b.selector;
}
bool same(const PodDisruptionBudget& a, const PodDisruptionBudget& b) {
  return std::tie(a.selector, a.min_available, a.max_unavailable) ==
         std::tie(b.selector, b.min_available, b.max_unavailable);
}
template <OneOf<Deployment, ReplicaSet, StatefulSet> T>
bool same(const T& a, const T& b) {
  return std::tie(a.selector, a.replicas, a.pods) == std::tie(b.selector, b.replicas, b.pods);
}
bool same(const Job& a, const Job& b) {
  const auto spec_of = [](const Job& job) {
    return std::tie(job.parallelism, job.backoff_limit, job.completions, job.indexed, job.suspend,
                    job.active_deadline_seconds, job.ttl_seconds, job.selector, job.scheduling,
                    job.failure_rules, job.pods);
  };
  return spec_of(a) == spec_of(b);
}

template <OneOf<ClusterQueue, Cohort, LocalQueue, AdmissionRequest> T>
bool same(const T& a, const T& b) {
  return a.spec == b.spec;
}
bool same(const ResourceFlavor& a, const ResourceFlavor& b) {
  return std::tie(a.node_labels, a.node_taints, a.tolerations, a.topology) ==
         std::tie(b.node_labels, b.node_taints, b.tolerations, b.topology);
}
bool same(const AdmissionCheck& a, const AdmissionCheck& b) {
  return std::tie(a.controller, a.parameters) == std::tie(b.controller, b.parameters);
}

template <typename T>
concept HasSpec = requires(const T& object) {
  same(object, object);
};

}  // namespace

std::shared_ptr<Object> clone(const Object& object) {
  return with_type(object, []<typename T>(const T& typed) -> std::shared_ptr<Object> {
    return std::make_shared<T>(typed);
  });
}

void copy_status(Object& to, const Object& from) {
  TUTTI_CHECK(to.kind == from.kind);
  with_type(from, [&to]<typename T>(const T& typed) {
    if constexpr (HasStatus<T>) {
      status_of(static_cast<T&>(to)) = status_of(typed);
    } else {
      static_cast<void>(to);
    }
  });
}

bool counts_generation(Kind kind) {
  switch (kind) {
    case Kind::pod:
    case Kind::replication_controller:
    case Kind::replica_set:
    case Kind::stateful_set:
    case Kind::deployment:
    case Kind::job:
    case Kind::pod_disruption_budget:
    case Kind::workload:
    case Kind::pod_group:
    case Kind::composite_pod_group:
    case Kind::resource_flavor:
    case Kind::cluster_queue:
    case Kind::cohort:
    case Kind::local_queue:
    case Kind::admission_check:
    case Kind::admission_request:
      return true;
    default:
      return false;
  }
}

bool same_spec(const Object& a, const Object& b) {
  TUTTI_CHECK(a.kind == b.kind && counts_generation(a.kind));
  return with_type(a, [&b]<typename T>(const T& typed) {
    if constexpr (HasSpec<T>) {
      return same(typed, static_cast<const T&>(b));
    } else {
      static_cast<void>(b);
      return true;
    }
  });
}

}  // namespace tutti::store
