// From an object to its own type, and what the store must know of each type: its copy, which fields
// are status, and whether its spec changed.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/quota.h"
#include "model/storage.h"
#include "model/topology.h"

namespace tutti::store {

// Calls fn with the object as its own type.
template <typename Fn>
decltype(auto) with_type(const model::Object& object, Fn&& fn) {
  using namespace model;
  switch (object.kind) {
    case Kind::node:
      return fn(as<Node>(object));
    case Kind::pod:
      return fn(as<Pod>(object));
    case Kind::ns:
      return fn(as<Namespace>(object));
    case Kind::priority_class:
      return fn(as<PriorityClass>(object));
    case Kind::service:
      return fn(as<Service>(object));
    case Kind::replication_controller:
      return fn(as<ReplicationController>(object));
    case Kind::replica_set:
      return fn(as<ReplicaSet>(object));
    case Kind::stateful_set:
      return fn(as<StatefulSet>(object));
    case Kind::deployment:
      return fn(as<Deployment>(object));
    case Kind::job:
      return fn(as<Job>(object));
    case Kind::persistent_volume_claim:
      return fn(as<PersistentVolumeClaim>(object));
    case Kind::persistent_volume:
      return fn(as<PersistentVolume>(object));
    case Kind::storage_class:
      return fn(as<StorageClass>(object));
    case Kind::csi_node:
      return fn(as<CsiNode>(object));
    case Kind::csi_driver:
      return fn(as<CsiDriver>(object));
    case Kind::csi_storage_capacity:
      return fn(as<CsiStorageCapacity>(object));
    case Kind::volume_attachment:
      return fn(as<VolumeAttachment>(object));
    case Kind::pod_disruption_budget:
      return fn(as<PodDisruptionBudget>(object));
    case Kind::event:
      return fn(as<Event>(object));
    case Kind::lease:
      return fn(as<Lease>(object));
    case Kind::workload:
      return fn(as<Workload>(object));
    case Kind::pod_group:
      return fn(as<PodGroup>(object));
    case Kind::composite_pod_group:
      return fn(as<CompositePodGroup>(object));
    case Kind::device_class:
      return fn(as<DeviceClass>(object));
    case Kind::resource_claim:
      return fn(as<ResourceClaim>(object));
    case Kind::resource_claim_template:
      return fn(as<ResourceClaimTemplate>(object));
    case Kind::resource_slice:
      return fn(as<ResourceSlice>(object));
    case Kind::device_taint_rule:
      return fn(as<DeviceTaintRule>(object));
    case Kind::topology:
      return fn(as<Topology>(object));
    case Kind::resource_flavor:
      return fn(as<ResourceFlavor>(object));
    case Kind::cluster_queue:
      return fn(as<ClusterQueue>(object));
    case Kind::cohort:
      return fn(as<Cohort>(object));
    case Kind::local_queue:
      return fn(as<LocalQueue>(object));
    case Kind::workload_priority_class:
      return fn(as<WorkloadPriorityClass>(object));
    case Kind::admission_check:
      return fn(as<AdmissionCheck>(object));
    case Kind::admission_request:
      return fn(as<AdmissionRequest>(object));
    case Kind::other:
      break;
  }
  return fn(static_cast<const OtherObject&>(object));
}

// A copy that may still be changed, before it is shared.
std::shared_ptr<model::Object> clone(const model::Object& object);

// Writes the status fields of `from` over those of `to`. Both have the same kind. Kinds without a
// status are left alone.
void copy_status(model::Object& to, const model::Object& from);

// Whether metadata.generation of the kind counts changes of its spec.
bool counts_generation(model::Kind kind);
// Whether everything but metadata and status is equal. Both have the same kind, and
// counts_generation() holds for it.
bool same_spec(const model::Object& a, const model::Object& b);

}  // namespace tutti::store
