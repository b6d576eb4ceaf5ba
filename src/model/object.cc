#include "model/object.h"

#include <algorithm>
#include <array>

namespace tutti::model {
namespace {

constexpr std::array<KindFacts, kKindCount> kFacts = {{
    {"Node", "nodes", false},
    {"Pod", "pods", true},
    {"Namespace", "namespaces", false},
    {"PriorityClass", "priorityclasses", false},
    {"Service", "services", true},
    {"ReplicationController", "replicationcontrollers", true},
    {"ReplicaSet", "replicasets", true},
    {"StatefulSet", "statefulsets", true},
    {"Deployment", "deployments", true},
    {"Job", "jobs", true},
    {"PersistentVolumeClaim", "persistentvolumeclaims", true},
    {"PersistentVolume", "persistentvolumes", false},
    {"StorageClass", "storageclasses", false},
    {"CSINode", "csinodes", false},
    {"CSIDriver", "csidrivers", false},
    {"CSIStorageCapacity", "csistoragecapacities", true},
    {"VolumeAttachment", "volumeattachments", false},
    {"PodDisruptionBudget", "poddisruptionbudgets", true},
    {"Event", "events", true},
    {"Lease", "leases", true},
    {"Workload", "workloads", true},
    {"PodGroup", "podgroups", true},
    {"CompositePodGroup", "compositepodgroups", true},
    {"DeviceClass", "deviceclasses", false},
    {"ResourceClaim", "resourceclaims", true},
    {"ResourceClaimTemplate", "resourceclaimtemplates", true},
    {"ResourceSlice", "resourceslices", false},
    {"DeviceTaintRule", "devicetaintrules", false},
    {"Topology", "topologies", false},
    {"ResourceFlavor", "resourceflavors", false},
    {"ClusterQueue", "clusterqueues", false},
    {"Cohort", "cohorts", false},
    {"LocalQueue", "localqueues", true},
    {"WorkloadPriorityClass", "workloadpriorityclasses", false},
    {"AdmissionCheck", "admissionchecks", false},
    {"Workload", "workloads", true},
    {"", "", true},
}};

}  // namespace

const KindFacts& facts(Kind kind) { return kFacts[static_cast<std::size_t>(kind)]; }

const std::string* find(const std::vector<std::pair<std::string, std::string>>& labels,
                        std::string_view key) {
  const auto at = std::ranges::lower_bound(
      labels, key, {}, [](const auto& label) -> std::string_view { return label.first; });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

const Condition* find(const std::vector<Condition>& conditions, std::string_view type) {
  const auto at = std::ranges::find(conditions, type, &Condition::type);
  return at != conditions.end() ? &*at : nullptr;
}

ObjectKey key_of(const Object& object) {
  ObjectKey key{object.kind, object.meta.ns, object.meta.name, {}};
  if (object.kind == Kind::other) {
    key.other_kind = object.api_version + "/" + static_cast<const OtherObject&>(object).kind_name;
  }
  return key;
}

std::string describe(const ObjectKey& key) {
  std::string text(key.kind == Kind::other
                       ? std::string_view(key.other_kind).substr(key.other_kind.rfind('/') + 1)
                       : facts(key.kind).name);
  text += ' ';
  if (!key.ns.empty()) text.append(key.ns).append("/");
  return text += key.name;
}

std::string describe(const Object& object) { return describe(key_of(object)); }

}  // namespace tutti::model
