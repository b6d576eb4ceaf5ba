#include "admission/validate.h"

#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

void check_own_fields(const model::Object& object, Findings& findings) {
  using model::as;
  using model::Kind;
  switch (object.kind) {
    case Kind::node:
      return check_kind(as<model::Node>(object), findings);
    case Kind::pod:
      return check_kind(as<model::Pod>(object), findings);
    case Kind::priority_class:
      return check_kind(as<model::PriorityClass>(object), findings);
    case Kind::service:
      return check_kind(as<model::Service>(object), findings);
    case Kind::replication_controller:
      return check_kind(as<model::ReplicationController>(object), findings);
    case Kind::replica_set:
      return check_kind(as<model::ReplicaSet>(object), findings);
    case Kind::stateful_set:
      return check_kind(as<model::StatefulSet>(object), findings);
    case Kind::deployment:
      return check_kind(as<model::Deployment>(object), findings);
    case Kind::job:
      return check_kind(as<model::Job>(object), findings);
    case Kind::persistent_volume_claim:
      return check_kind(as<model::PersistentVolumeClaim>(object), findings);
    case Kind::persistent_volume:
      return check_kind(as<model::PersistentVolume>(object), findings);
    case Kind::storage_class:
      return check_kind(as<model::StorageClass>(object), findings);
    case Kind::csi_node:
      return check_kind(as<model::CsiNode>(object), findings);
    case Kind::csi_storage_capacity:
      return check_kind(as<model::CsiStorageCapacity>(object), findings);
    case Kind::volume_attachment:
      return check_kind(as<model::VolumeAttachment>(object), findings);
    case Kind::pod_disruption_budget:
      return check_kind(as<model::PodDisruptionBudget>(object), findings);
    case Kind::lease:
      return check_kind(as<model::Lease>(object), findings);
    case Kind::workload:
      return check_kind(as<model::Workload>(object), findings);
    case Kind::pod_group:
      return check_kind(as<model::PodGroup>(object), findings);
    case Kind::composite_pod_group:
      return check_kind(as<model::CompositePodGroup>(object), findings);
    case Kind::device_class:
      return check_kind(as<model::DeviceClass>(object), findings);
    case Kind::resource_claim:
      return check_kind(as<model::ResourceClaim>(object), findings);
    case Kind::resource_claim_template:
      return check_kind(as<model::ResourceClaimTemplate>(object), findings);
    case Kind::resource_slice:
      return check_kind(as<model::ResourceSlice>(object), findings);
    case Kind::device_taint_rule:
      return check_kind(as<model::DeviceTaintRule>(object), findings);
    case Kind::topology:
      return check_kind(as<model::Topology>(object), findings);
    case Kind::resource_flavor:
      return check_kind(as<model::ResourceFlavor>(object), findings);
    case Kind::cluster_queue:
      return check_kind(as<model::ClusterQueue>(object), findings);
    case Kind::cohort:
      return check_kind(as<model::Cohort>(object), findings);
    case Kind::local_queue:
      return check_kind(as<model::LocalQueue>(object), findings);
    case Kind::workload_priority_class:
      return check_kind(as<model::WorkloadPriorityClass>(object), findings);
    case Kind::admission_check:
      return check_kind(as<model::AdmissionCheck>(object), findings);
    case Kind::admission_request:
      return check_kind(as<model::AdmissionRequest>(object), findings);
    case Kind::ns:
    case Kind::csi_driver:
    case Kind::event:
    case Kind::other:
      return;
  }
}

}  // namespace

FieldProblems validate(const model::Object& object) {
  Findings findings;
  check_metadata(object, findings);
  check_own_fields(object, findings);
  return std::move(findings).take();
}

}  // namespace tutti::admission
