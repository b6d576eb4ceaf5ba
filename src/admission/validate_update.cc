#include "admission/validate_update.h"

#include <algorithm>

#include "admission/rules/update_rules.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/storage.h"

namespace tutti::admission {
namespace {

using model::as;
using model::Kind;
using model::Object;
using model::PersistentVolume;
using model::PersistentVolumeClaim;

void check_metadata_change(const Object& before, const Object& after, Findings& findings) {
  const Path meta("metadata");
  check_frozen_text(before.meta.uid, after.meta.uid, meta.field("uid"), findings);
  if (!before.meta.deletion) return;
  for (const std::string& finalizer : after.meta.finalizers) {
    const auto& old = before.meta.finalizers;
    if (std::ranges::find(old, finalizer) != old.end()) continue;
    findings.add(meta.field("finalizers"),
                 "must not gain an entry while the object is being deleted, gained '{}'",
                 finalizer);
  }
}

void check_change(const model::PriorityClass& before, const model::PriorityClass& after,
                  Findings& findings) {
  if (before.value != after.value) {
    findings.add(Path("value"), "is immutable: was {}, is {}", before.value, after.value);
  }
  check_frozen(before.preemption_policy, after.preemption_policy, Path("preemptionPolicy"),
               findings);
}

// A claim may be given a volume, a class it had left open, and more room; nothing else.
void check_change(const PersistentVolumeClaim& before, const PersistentVolumeClaim& after,
                  Findings& findings) {
  const Path spec("spec");
  check_frozen(before.access_modes, after.access_modes, spec.field("accessModes"), findings);
  check_frozen(before.selector, after.selector, spec.field("selector"), findings);
  check_frozen_text(before.volume_mode, after.volume_mode, spec.field("volumeMode"), findings);
  if (before.storage_class) {
    check_frozen(before.storage_class, after.storage_class, spec.field("storageClassName"),
                 findings);
  }
  if (!before.volume_name.empty()) {
    check_frozen_text(before.volume_name, after.volume_name, spec.field("volumeName"), findings);
  }
  if (after.storage_request < before.storage_request) {
    findings.add(Path("spec.resources.requests[storage]"), "must not shrink: was {}, is {}",
                 before.storage_request.text(), after.storage_request.text());
  }
}

void check_change(const PersistentVolume& before, const PersistentVolume& after,
                  Findings& findings) {
  const Path spec("spec");
  check_frozen_text(before.csi_driver, after.csi_driver, spec.field("csi.driver"), findings);
  check_frozen_text(before.csi_handle, after.csi_handle, spec.field("csi.volumeHandle"), findings);
  check_frozen_text(before.volume_mode, after.volume_mode, spec.field("volumeMode"), findings);
  if (before.node_affinity) {
    check_frozen(before.node_affinity, after.node_affinity, spec.field("nodeAffinity"), findings);
  }
}

void check_change(const model::StorageClass& before, const model::StorageClass& after,
                  Findings& findings) {
  check_frozen_text(before.provisioner, after.provisioner, Path("provisioner"), findings);
  check_frozen(before.wait_for_first_consumer, after.wait_for_first_consumer,
               Path("volumeBindingMode"), findings);
}

void check_change(const model::CsiStorageCapacity& before, const model::CsiStorageCapacity& after,
                  Findings& findings) {
  check_frozen_text(before.storage_class, after.storage_class, Path("storageClassName"), findings);
  check_frozen(before.node_topology, after.node_topology, Path("nodeTopology"), findings);
}

void check_change(const model::VolumeAttachment& before, const model::VolumeAttachment& after,
                  Findings& findings) {
  const Path spec("spec");
  check_frozen_text(before.attacher, after.attacher, spec.field("attacher"), findings);
  check_frozen_text(before.node_name, after.node_name, spec.field("nodeName"), findings);
  check_frozen_text(before.volume_name, after.volume_name,
                    spec.field("source.persistentVolumeName"), findings);
}

void check_change(const model::ResourceClaim& before, const model::ResourceClaim& after,
                  Findings& findings) {
  check_frozen(before.spec, after.spec, Path("spec"), findings);
}

void check_change(const model::ResourceClaimTemplate& before,
                  const model::ResourceClaimTemplate& after, Findings& findings) {
  check_frozen(before.spec, after.spec, Path("spec.spec"), findings);
}

void check_change(const model::ResourceSlice& before, const model::ResourceSlice& after,
                  Findings& findings) {
  const Path spec("spec");
  check_frozen_text(before.driver, after.driver, spec.field("driver"), findings);
  check_frozen_text(before.pool, after.pool, spec.field("pool.name"), findings);
  check_frozen_text(before.reach.node, after.reach.node, spec.field("nodeName"), findings);
}

template <typename T>
void check_change_of(const Object& before, const Object& after, Findings& findings) {
  check_change(as<T>(before), as<T>(after), findings);
}

void check_own_fields(const Object& before, const Object& after, Findings& findings) {
  switch (before.kind) {
    case Kind::pod:
      return check_change_of<model::Pod>(before, after, findings);
    case Kind::priority_class:
      return check_change_of<model::PriorityClass>(before, after, findings);
    case Kind::persistent_volume_claim:
      return check_change_of<PersistentVolumeClaim>(before, after, findings);
    case Kind::persistent_volume:
      return check_change_of<PersistentVolume>(before, after, findings);
    case Kind::storage_class:
      return check_change_of<model::StorageClass>(before, after, findings);
    case Kind::csi_storage_capacity:
      return check_change_of<model::CsiStorageCapacity>(before, after, findings);
    case Kind::volume_attachment:
      return check_change_of<model::VolumeAttachment>(before, after, findings);
    case Kind::replica_set:
      return check_change_of<model::ReplicaSet>(before, after, findings);
    case Kind::stateful_set:
      return check_change_of<model::StatefulSet>(before, after, findings);
    case Kind::resource_claim:
      return check_change_of<model::ResourceClaim>(before, after, findings);
    case Kind::resource_claim_template:
      return check_change_of<model::ResourceClaimTemplate>(before, after, findings);
    case Kind::resource_slice:
      return check_change_of<model::ResourceSlice>(before, after, findings);
    case Kind::deployment:
      return check_change_of<model::Deployment>(before, after, findings);
    case Kind::job:
      return check_change_of<model::Job>(before, after, findings);
    case Kind::workload:
      return check_change_of<model::Workload>(before, after, findings);
    case Kind::pod_group:
      return check_change_of<model::PodGroup>(before, after, findings);
    case Kind::composite_pod_group:
      return check_change_of<model::CompositePodGroup>(before, after, findings);
    case Kind::resource_flavor:
      return check_change_of<model::ResourceFlavor>(before, after, findings);
    case Kind::cluster_queue:
      return check_change_of<model::ClusterQueue>(before, after, findings);
    case Kind::local_queue:
      return check_change_of<model::LocalQueue>(before, after, findings);
    case Kind::admission_check:
      return check_change_of<model::AdmissionCheck>(before, after, findings);
    case Kind::admission_request:
      return check_change_of<model::AdmissionRequest>(before, after, findings);
    default:
      return;
  }
}

}  // namespace

void check_frozen_text(std::string_view before, std::string_view after, const Path& path,
                       Findings& findings) {
  if (before != after) findings.add(path, "is immutable: was '{}', is '{}'", before, after);
}

FieldProblems validate_update(const Object& before, const Object& after) {
  TUTTI_CHECK(key_of(before) == key_of(after), "an update keeps kind, namespace and name");
  Findings findings;
  check_metadata_change(before, after, findings);
  check_own_fields(before, after, findings);
  return std::move(findings).take();
}

FieldProblems validate_binding(const model::Pod& pod, std::string_view node) {
  Findings findings;
  const Path target("spec.nodeName");
  if (!pod.node_name.empty()) {
    findings.add(target, "must be empty to bind to '{}', is '{}'", node, pod.node_name);
  }
  if (!pod.spec->scheduling_gates.empty()) {
    findings.add(Path("spec.schedulingGates"), "must be empty to bind to '{}', has {} entries",
                 node, pod.spec->scheduling_gates.size());
  }
  if (pod.meta.deletion) {
    findings.add(Path("metadata.deletionTimestamp"), "must be absent to bind to '{}'", node);
  }
  if (pod.terminal()) {
    findings.add(Path("status.phase"), "must not be {} to bind to '{}'",
                 pod.status.phase == model::PodPhase::failed ? "Failed" : "Succeeded", node);
  }
  return std::move(findings).take();
}

}  // namespace tutti::admission
