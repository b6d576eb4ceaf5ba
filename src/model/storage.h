// Storage kinds, as far as volume plugins read them.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/resources.h"

namespace tutti::model {

// A pod's right to a volume. Until it is bound, where the pod goes may decide which one it gets.
struct PersistentVolumeClaim : Object {
  static constexpr Kind kKind = Kind::persistent_volume_claim;
  PersistentVolumeClaim() : Object(kKind) {}
  std::vector<std::string>
      access_modes;  // ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod
  std::optional<std::string> storage_class;  // absent: the default class at admission
  std::string volume_name;                   // bound to this volume when not empty
  std::string volume_mode;                   // empty: Filesystem
  Quantity storage_request;
  std::optional<LabelSelector> selector;
  std::string phase;  // Pending, Bound, Lost
};

// A volume that exists. Once a claim is bound to it, pods go where it can be reached.
struct PersistentVolume : Object {
  static constexpr Kind kKind = Kind::persistent_volume;
  PersistentVolume() : Object(kKind) {}
  Quantity capacity;
  std::vector<std::string> access_modes;
  std::string storage_class;
  std::string volume_mode;
  std::string claim_namespace;  // claimRef; empty name: available
  std::string claim_name;
  std::string claim_uid;
  // From where it can be reached; absent: from everywhere.
  std::optional<std::vector<NodeSelectorTerm>> node_affinity;
  std::string csi_driver;  // empty: not a CSI volume
  std::string csi_handle;
  std::string phase;
};

// How volumes are made for claims, and when.
struct StorageClass : Object {
  static constexpr Kind kKind = Kind::storage_class;
  StorageClass() : Object(kKind) {}
  std::string provisioner;
  // Volumes are made, or chosen, only when it is known on which node the pod will be.
  bool wait_for_first_consumer = false;
  bool is_default = false;
  std::vector<NodeSelectorTerm> allowed_topologies;  // ORed; empty: anywhere
};

// A storage driver on a node. Without a count it sets no limit.
struct CsiNodeDriver {
  std::string name;
  std::string node_id;
  std::vector<std::string> topology_keys;
  std::optional<std::int32_t> allocatable_count;
  bool operator==(const CsiNodeDriver&) const = default;
};
struct CsiNode : Object {  // its name is the node's
  static constexpr Kind kKind = Kind::csi_node;
  CsiNode() : Object(kKind) {}
  std::vector<CsiNodeDriver> drivers;
};

struct CsiDriver : Object {
  static constexpr Kind kKind = Kind::csi_driver;
  CsiDriver() : Object(kKind) {}
  bool storage_capacity = false;  // the driver publishes CSIStorageCapacity objects
};

// How much room for new volumes a driver has where the selector matches.
struct CsiStorageCapacity : Object {
  static constexpr Kind kKind = Kind::csi_storage_capacity;
  CsiStorageCapacity() : Object(kKind) {}
  std::string storage_class;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity;
  // The largest single volume; where it is given it counts instead of `capacity`.
  std::optional<Quantity> maximum_volume_size;
};

// A volume that is attached to a node, or on its way: it takes one of the node's places.
struct VolumeAttachment : Object {
  static constexpr Kind kKind = Kind::volume_attachment;
  VolumeAttachment() : Object(kKind) {}
  std::string attacher;
  std::string node_name;
  std::string volume_name;  // the PersistentVolume
};

}  // namespace tutti::model
