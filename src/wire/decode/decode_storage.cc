#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"

namespace tutti::wire {
namespace {

void read_storage_amount(const Field& at, Quantity& out) {
  model::ResourceList amounts;
  read(at, amounts);
  if (const Quantity* storage = model::find(amounts, "storage")) out = *storage;
}

}  // namespace

void read_kind(const Field& at, model::PersistentVolumeClaim& out) {
  at.member("spec", [&](const Field& spec) {
    spec("accessModes", out.access_modes);
    spec("storageClassName", out.storage_class);
    spec("volumeName", out.volume_name);
    spec("volumeMode", out.volume_mode);
    spec.member("resources", [&](const Field& resources) {
      resources.member("requests", [&](const Field& requests) {
        read_storage_amount(requests, out.storage_request);
      });
    });
    spec("selector", out.selector);
  });
  at.member("status", [&](const Field& status) { status("phase", out.phase); });
}

static void read_source(const Field& at, model::PersistentVolume& out) {
  at.member("claimRef", [&](const Field& claim) {
    claim("namespace", out.claim_namespace);
    claim("name", out.claim_name);
    claim("uid", out.claim_uid);
  });
  at.member("csi", [&](const Field& csi) {
    csi("driver", out.csi_driver);
    csi("volumeHandle", out.csi_handle);
  });
}

void read_kind(const Field& at, model::PersistentVolume& out) {
  at.member("spec", [&](const Field& spec) {
    spec.member("capacity",
                [&](const Field& capacity) { read_storage_amount(capacity, out.capacity); });
    spec("accessModes", out.access_modes);
    spec("storageClassName", out.storage_class);
    spec("volumeMode", out.volume_mode);
    read_source(spec, out);
    spec.member("nodeAffinity", [&](const Field& affinity) {
      affinity.member("required", [&](const Field& required) {
        required("nodeSelectorTerms", out.node_affinity.emplace());
      });
    });
  });
  at.member("status", [&](const Field& status) { status("phase", out.phase); });
}

// A topology term lists allowed values only: each entry is an "In" requirement on a node label.
static void read_topology_term(const Field& at, model::NodeSelectorTerm& out) {
  at.list("matchLabelExpressions", [&](const Field& entry) {
    model::Requirement& requirement = out.match_expressions.emplace_back();
    entry("key", requirement.key);
    entry("values", requirement.values);
  });
}

void read_kind(const Field& at, model::StorageClass& out) {
  static constexpr EnumTable<bool, 2> kBindingModes = {{
      {"Immediate", false},
      {"WaitForFirstConsumer", true},
  }};
  at("provisioner", out.provisioner);
  at("volumeBindingMode", out.wait_for_first_consumer, kBindingModes);
  at.list("allowedTopologies", [&](const Field& term) {
    read_topology_term(term, out.allowed_topologies.emplace_back());
  });
  const std::string* mark =
      model::find(out.meta.annotations, "storageclass.kubernetes.io/is-default-class");
  out.is_default = mark != nullptr && *mark == "true";
}

static void read(const Field& at, model::CsiNodeDriver& out) {
  at("name", out.name);
  at("nodeID", out.node_id);
  at("topologyKeys", out.topology_keys);
  at.member("allocatable",
            [&](const Field& allocatable) { allocatable("count", out.allocatable_count); });
}

void read_kind(const Field& at, model::CsiNode& out) {
  at.member("spec", [&](const Field& spec) { spec("drivers", out.drivers); });
}

void read_kind(const Field& at, model::CsiDriver& out) {
  at.member("spec", [&](const Field& spec) { spec("storageCapacity", out.storage_capacity); });
}

void read_kind(const Field& at, model::CsiStorageCapacity& out) {
  at("storageClassName", out.storage_class);
  at("nodeTopology", out.node_topology);
  at("capacity", out.capacity);
  at("maximumVolumeSize", out.maximum_volume_size);
}

void read_kind(const Field& at, model::VolumeAttachment& out) {
  at.member("spec", [&](const Field& spec) {
    spec("attacher", out.attacher);
    spec("nodeName", out.node_name);
    spec.member("source",
                [&](const Field& source) { source("persistentVolumeName", out.volume_name); });
  });
}

}  // namespace tutti::wire
