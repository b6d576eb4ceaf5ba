// resource.k8s.io: devices on offer (ResourceSlice), what classes of them there are (DeviceClass),
// what is asked for and given (ResourceClaim, ResourceClaimTemplate), and who is unwell
// (DeviceTaintRule). All served versions in one form; `api_version` remembers which one it was.
//
// A device is known by driver, pool and device name. Words that decide an allocation (modes, kinds
// of selectors) are kept as written: one that is not understood must stop a claim, not be ignored.
#pragma once

#include <variant>

#include "base/quantity.h"
#include "base/std.h"
#include "model/node.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {

inline constexpr std::string_view kResourceV1 = "resource.k8s.io/v1";
inline constexpr std::string_view kResourceV1Beta1 = "resource.k8s.io/v1beta1";
inline constexpr std::string_view kResourceV1Beta2 = "resource.k8s.io/v1beta2";

// Keeps a claim until its devices are given back.
inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";
// On a claim made from a template: the entry of the pod or group that it was made for.
inline constexpr std::string_view kPodClaimName = "resource.kubernetes.io/pod-claim-name";

// On a claim that was made for the extended resources of a pod: "true".
inline constexpr std::string_view kExtendedClaim = "resource.kubernetes.io/extended-resource-claim";
// What every device class is called as an extended resource, beside the name it may choose.
inline constexpr std::string_view kClassResourcePrefix = "deviceclass.resource.kubernetes.io/";

// Sorted by name, names unique.
using NamedAmounts = std::vector<std::pair<std::string, Quantity>>;

// --- devices on offer ----------------------------------------------------------------------------

// A semantic version as written; a type of its own, so that it never equals a string.
struct VersionText {
  std::string text;
  bool operator==(const VersionText&) const = default;
  auto operator<=>(const VersionText&) const = default;
};
// The alternative says the type; monostate is a type we do not know.
using AttributeValue = std::variant<std::monostate, std::int64_t, bool, std::string, VersionText,
                                    std::vector<std::int64_t>, std::vector<bool>,
                                    std::vector<std::string>, std::vector<VersionText>>;
// A fact about a device that selectors and constraints may ask for.
struct DeviceAttribute {
  std::string name;  // "type", or "example.com/type"
  AttributeValue value;
  bool operator==(const DeviceAttribute&) const = default;
};

// Which amounts of a shared capacity may be taken.
struct CapacityPolicy {
  struct Range {
    Quantity min;
    std::optional<Quantity> max;
    std::optional<Quantity> step;
    bool operator==(const Range&) const = default;
  };
  std::optional<Quantity> standard;    // requestPolicy.default: for those that do not ask
  std::vector<Quantity> valid_values;  // ascending
  std::optional<Range> range;
  bool operator==(const CapacityPolicy&) const = default;
};
// An amount that a device has. With a policy, it can be shared out in parts.
struct DeviceCapacity {
  std::string name;
  Quantity value;
  std::optional<CapacityPolicy> policy;
  bool operator==(const DeviceCapacity&) const = default;
};

// Counters that devices of one pool take from together: partitions of one chip, for example.
struct CounterSet {
  std::string name;
  NamedAmounts counters;
  bool operator==(const CounterSet&) const = default;
};

// Keeps claims away that do not tolerate it. NoExecute also evicts the pods that use the device.
struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;  // None, NoSchedule, NoExecute
  std::optional<Instant> added;
  bool operator==(const DeviceTaint&) const = default;
};

// From where devices can be used.
struct DeviceReach {
  enum class Kind : std::uint8_t { unknown, node, selector, all, per_device };
  Kind kind = Kind::unknown;
  std::string node;                        // of `node`
  std::vector<NodeSelectorTerm> selector;  // of `selector`: ORed
  bool operator==(const DeviceReach&) const = default;
};

// One device, or one partition of one. Its name is unique within the pool.
struct Device {
  std::string name;
  std::vector<DeviceAttribute> attributes;  // sorted by name
  std::vector<DeviceCapacity> capacity;     // sorted by name
  std::vector<CounterSet> consumes;         // consumesCounters: sets by name, with amounts
  DeviceReach reach;                        // where the slice leaves it to its devices
  std::vector<DeviceTaint> taints;
  // The allocation is then for this node alone, wherever else the device could be reached from.
  bool binds_to_node = false;
  // Pods wait before binding until all of these are true, and give up when one of the others is.
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool allow_multiple = false;  // allowMultipleAllocations
  bool operator==(const Device&) const = default;
};

// A part of a driver's pool of devices, as the driver publishes it.
struct ResourceSlice : Object {
  static constexpr Kind kKind = Kind::resource_slice;
  ResourceSlice() : Object(kKind) {}
  std::string driver;
  std::string pool;
  // Only slices of the highest generation of a pool count; older ones are being replaced.
  std::int64_t generation = 0;
  std::int64_t slice_count = 1;  // of the pool at this generation
  DeviceReach reach;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
};

// --- what is asked for ---------------------------------------------------------------------------

// Parameters for a driver, handed on as they are.
struct OpaqueConfig {
  std::string driver;
  std::string parameters;  // JSON text
  bool operator==(const OpaqueConfig&) const = default;
};

// What an administrator says of a kind of devices: which ones they are, and how they are set up.
struct DeviceClass : Object {
  static constexpr Kind kKind = Kind::device_class;
  DeviceClass() : Object(kKind) {}
  std::vector<std::string> selectors;  // CEL; empty text: a kind of selector we do not know
  std::vector<OpaqueConfig> config;
  // The resource name by which pods without a claim may ask for devices of the class.
  std::string extended_resource_name;
};

// What one request, or one alternative of it, wants.
struct DeviceWish {
  std::string name;  // of an alternative; empty for `exactly`
  std::string device_class;
  std::vector<std::string> selectors;
  std::string mode;           // ExactCount (also when empty) or All
  std::int64_t count = 0;     // of ExactCount; 0: not said, which means 1
  bool admin_access = false;  // for monitoring: looks at devices in use and takes none away
  std::vector<Toleration> tolerations;
  NamedAmounts capacity;
  bool operator==(const DeviceWish&) const = default;
};
// One entry of a claim: devices of one kind, or the first of several kinds that can be had.
struct DeviceRequest {
  std::string name;
  bool prioritized = false;        // firstAvailable
  std::vector<DeviceWish> wishes;  // in order of preference; one for `exactly`; none: unknown type
  bool operator==(const DeviceRequest&) const = default;
};
// What devices of several requests must have in common, or must not.
struct DeviceConstraint {
  enum class Kind : std::uint8_t { unknown, match, distinct };
  Kind kind = Kind::unknown;
  std::string attribute;              // fully qualified
  std::vector<std::string> requests;  // empty: all
  bool operator==(const DeviceConstraint&) const = default;
};
// Parameters for the devices of some requests; for all when none is named.
struct ClaimConfig {
  std::vector<std::string> requests;
  OpaqueConfig opaque;
  bool operator==(const ClaimConfig&) const = default;
};
// What a claim asks for. It never changes once the claim exists.
struct ClaimSpec {
  std::vector<DeviceRequest> requests;
  std::vector<DeviceConstraint> constraints;
  std::vector<ClaimConfig> config;
  bool operator==(const ClaimSpec&) const = default;
};

// --- what was given ------------------------------------------------------------------------------

// One device that was given to one request.
struct DeviceResult {
  std::string request;  // "request" or "request/alternative"
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;
  std::vector<Toleration> tolerations;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::string share_id;            // of a share of a device that many may use
  NamedAmounts consumed_capacity;  // of a share
  bool operator==(const DeviceResult&) const = default;
};
// Parameters as the driver gets them: those of the class before those of the claim.
struct AllocatedConfig {
  std::string source;  // FromClass, FromClaim
  std::vector<std::string> requests;
  OpaqueConfig opaque;
  bool operator==(const AllocatedConfig&) const = default;
};
// The answer to a claim. It holds until nobody uses the claim any more.
struct Allocation {
  std::vector<DeviceResult> results;
  std::vector<AllocatedConfig> config;
  std::optional<std::vector<NodeSelectorTerm>> node_selector;  // absent: usable everywhere
  std::optional<Instant> timestamp;
  bool operator==(const Allocation&) const = default;
};
// Who may use the claim: a pod, or a group on behalf of its pods.
struct ConsumerReference {
  std::string api_group;  // empty: core
  std::string resource;   // pods, podgroups
  std::string name;
  std::string uid;
  bool operator==(const ConsumerReference&) const = default;
};
// What a driver reports of an allocated device.
struct AllocatedDeviceStatus {
  std::string driver;
  std::string pool;
  std::string device;
  std::string share_id;
  std::vector<Condition> conditions;
  bool operator==(const AllocatedDeviceStatus&) const = default;
};

// A right to devices, which pods of its namespace can share.
struct ResourceClaim : Object {
  static constexpr Kind kKind = Kind::resource_claim;
  ResourceClaim() : Object(kKind) {}
  ClaimSpec spec;
  std::optional<Allocation> allocation;
  std::vector<ConsumerReference> reserved_for;
  std::vector<AllocatedDeviceStatus> device_statuses;
};

// From which every pod, or every group, gets a claim of its own.
struct ResourceClaimTemplate : Object {
  static constexpr Kind kKind = Kind::resource_claim_template;
  ResourceClaimTemplate() : Object(kKind) {}
  Labels claim_labels;
  Labels claim_annotations;
  ClaimSpec spec;
};

// A taint that an administrator puts on all devices that match.
struct DeviceTaintRule : Object {
  static constexpr Kind kKind = Kind::device_taint_rule;
  DeviceTaintRule() : Object(kKind) {}
  // Absent selects nothing; each part that is given must match.
  struct Selector {
    std::optional<std::string> driver;
    std::optional<std::string> pool;
    std::optional<std::string> device;
    bool operator==(const Selector&) const = default;
  };
  std::optional<Selector> selector;
  DeviceTaint taint;
  Conditions conditions;  // EvictionInProgress
};

// The claim that a pod's or a group's entry stands for: named by the entry, or recorded in the
// status. Null: not recorded yet. Empty text: recorded as not needed.
const std::string* claim_name_of(const ClaimReference& entry,
                                 const std::vector<ClaimStatus>& recorded);

// The pod whose extended resources the claim was made for; null: it is another kind of claim.
const OwnerReference* extended_owner(const ResourceClaim& claim);

}  // namespace tutti::model
