#include "admission/checks/checks.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

constexpr std::string_view kOncePod = "ReadWriteOncePod";

void check_access_modes(const std::vector<std::string>& modes, const Path& spec,
                        Findings& findings) {
  if (modes.empty()) findings.add(spec.field("accessModes"), "must have at least one entry, has 0");
  bool once_pod = false;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    check_one_of(modes[i], {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", kOncePod},
                 spec.item("accessModes", i), findings);
    once_pod = once_pod || modes[i] == kOncePod;
  }
  if (once_pod && modes.size() > 1) {
    findings.add(spec.field("accessModes"), "must have no other entry beside {}, has {}", kOncePod,
                 modes.size());
  }
}

void check_volume_mode(const std::string& mode, const Path& spec, Findings& findings) {
  if (mode.empty()) return;
  check_one_of(mode, {"Filesystem", "Block"}, spec.field("volumeMode"), findings);
}

void check_size(const Quantity& size, const Path& path, Findings& findings) {
  if (size.negative() || size.zero()) {
    findings.add(path, "must be more than 0, is {}", size.text());
  }
}

void check_not_negative(const std::optional<Quantity>& size, const Path& path, Findings& findings) {
  if (size && size->negative()) findings.add(path, "must be at least 0, is {}", size->text());
}

}  // namespace

void check_kind(const model::PersistentVolumeClaim& claim, Findings& findings) {
  const Path spec("spec");
  check_access_modes(claim.access_modes, spec, findings);
  check_size(claim.storage_request, Path("spec.resources.requests[storage]"), findings);
  // An empty class is a choice of its own: only volumes without a class.
  if (claim.storage_class && !claim.storage_class->empty()) {
    check_dns_subdomain(*claim.storage_class, spec.field("storageClassName"), findings);
  }
  check_volume_mode(claim.volume_mode, spec, findings);
  check_selector(claim.selector, spec.field("selector"), findings);
}

void check_kind(const model::PersistentVolume& volume, Findings& findings) {
  const Path spec("spec");
  check_access_modes(volume.access_modes, spec, findings);
  check_size(volume.capacity, Path("spec.capacity[storage]"), findings);
  if (!volume.storage_class.empty()) {
    check_dns_subdomain(volume.storage_class, spec.field("storageClassName"), findings);
  }
  check_volume_mode(volume.volume_mode, spec, findings);
  if (volume.node_affinity) {
    check_node_terms(*volume.node_affinity, "nodeSelectorTerms", Path("spec.nodeAffinity.required"),
                     findings);
  }
  if (!volume.csi_driver.empty() && volume.csi_handle.empty()) {
    findings.add(spec.field("csi.volumeHandle"), "is required");
  }
}

void check_kind(const model::StorageClass& storage_class, Findings& findings) {
  check_qualified_name(storage_class.provisioner, Path("provisioner"), findings);
}

void check_kind(const model::CsiNode& node, Findings& findings) {
  const Path spec("spec");
  Unique names;
  for (std::size_t i = 0; i < node.drivers.size(); ++i) {
    const Path place = spec.item("drivers", i);
    check_dns_subdomain(node.drivers[i].name, place.field("name"), findings);
    names.see(node.drivers[i].name, place.field("name"), findings);
    if (node.drivers[i].allocatable_count) {
      check_at_least(*node.drivers[i].allocatable_count, 0, place.field("allocatable.count"),
                     findings);
    }
  }
}

void check_kind(const model::CsiStorageCapacity& capacity, Findings& findings) {
  check_dns_subdomain(capacity.storage_class, Path("storageClassName"), findings);
  check_selector(capacity.node_topology, Path("nodeTopology"), findings);
  check_not_negative(capacity.capacity, Path("capacity"), findings);
  check_not_negative(capacity.maximum_volume_size, Path("maximumVolumeSize"), findings);
}

void check_kind(const model::VolumeAttachment& attachment, Findings& findings) {
  const Path spec("spec");
  check_dns_subdomain(attachment.attacher, spec.field("attacher"), findings);
  check_dns_subdomain(attachment.node_name, spec.field("nodeName"), findings);
}

}  // namespace tutti::admission
