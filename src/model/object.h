// What every API object has: kind, version, metadata, and the document it came from.
#pragma once

#include "base/check.h"
#include "base/shared_list.h"
#include "base/std.h"
#include "base/time.h"

namespace tutti::model {

// The kinds that some part of Tutti reads. The order is that of listings and of ties.
enum class Kind : std::uint8_t {
  node,
  pod,
  ns,
  priority_class,
  service,
  replication_controller,
  replica_set,
  stateful_set,
  deployment,
  job,
  persistent_volume_claim,
  persistent_volume,
  storage_class,
  csi_node,
  csi_driver,
  csi_storage_capacity,
  volume_attachment,
  pod_disruption_budget,
  event,
  lease,
  workload,
  pod_group,
  composite_pod_group,
  device_class,
  resource_claim,
  resource_claim_template,
  resource_slice,
  device_taint_rule,
  topology,
  resource_flavor,
  cluster_queue,
  cohort,
  local_queue,
  workload_priority_class,
  admission_check,
  admission_request,  // kueue.x-k8s.io calls it Workload, as scheduling.k8s.io calls another kind
  other,              // a kind we keep and hand back but do not interpret
};
inline constexpr std::size_t kKindCount = static_cast<std::size_t>(Kind::other) + 1;

// Facts about a kind that every layer needs: "Pod", "pods", namespaced?
struct KindFacts {
  std::string_view name;
  std::string_view plural;
  bool namespaced;
};
const KindFacts& facts(Kind kind);

// Sorted by key, keys unique.
using Labels = SharedList<std::pair<std::string, std::string>>;
// The value of `key`, or nullptr.
const std::string* find(const std::vector<std::pair<std::string, std::string>>& labels,
                        std::string_view key);

// For whose sake the object exists; it is collected when the last of its owners is gone.
struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;
  bool operator==(const OwnerReference&) const = default;
};

// Everything that is the same for all kinds.
struct ObjectMeta {
  std::string name;
  std::string ns;  // empty for cluster-scoped kinds
  std::string uid;
  // Rises with every write; 0: never stored.
  std::uint64_t resource_version = 0;
  // Rises when the spec changes, for kinds that count it.
  std::int64_t generation = 0;
  std::optional<Instant> created;
  std::optional<Instant> deletion;  // deletionTimestamp: when it will be, or was to be, gone
  std::optional<std::int64_t> deletion_grace_seconds;
  Labels labels;
  Labels annotations;
  // While there is any, a deleted object stays: someone has to tidy up first.
  SharedList<std::string> finalizers;
  SharedList<OwnerReference> owners;
};

// One aspect of an object's state, and since when it is so.
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<Instant> last_transition;
  std::int64_t observed_generation = 0;
  bool operator==(const Condition&) const = default;
};
using Conditions = SharedList<Condition>;
// The condition of that type, or nullptr.
const Condition* find(const std::vector<Condition>& conditions, std::string_view type);

// Base of all kinds. Objects are immutable once shared: a change makes a new object.
//
// `document` is the object as the user wrote it, as compact JSON in its own API version. Typed
// fields carry what Tutti reads or changes; writing an object out lays those over the document, so
// fields that Tutti does not know survive.
struct Object {
  explicit Object(Kind k) : kind(k) {}
  Object(const Object&) = default;
  Object(Object&&) = default;
  Object& operator=(const Object&) = default;
  Object& operator=(Object&&) = default;
  virtual ~Object() = default;

  Kind kind;
  std::string api_version;  // as written: "v1", "scheduling.k8s.io/v1alpha2"
  ObjectMeta meta;
  std::shared_ptr<const std::string> document;  // may be null for objects Tutti made itself
};
using ObjectPtr = std::shared_ptr<const Object>;

// A kind we do not interpret.
struct OtherObject : Object {
  OtherObject() : Object(Kind::other) {}
  // As written, such as "RayCluster"; `document` has all the rest.
  std::string kind_name;
};

// Identity of an object within one cluster. Orders by kind, namespace, name.
struct ObjectKey {
  Kind kind = Kind::other;
  std::string ns;
  std::string name;
  std::string other_kind;  // "apiVersion/Kind" for Kind::other, else empty
  auto operator<=>(const ObjectKey&) const = default;
};
ObjectKey key_of(const Object& object);
// "pod t/web-0", "node n1": how messages name an object.
std::string describe(const ObjectKey& key);
std::string describe(const Object& object);

// Checked downcast: T::kKind must be the object's kind.
template <typename T>
const T& as(const Object& object) {
  TUTTI_CHECK(object.kind == T::kKind);
  return static_cast<const T&>(object);
}
// Downcast: the object as its own type, or nullptr if it is of another kind.
template <typename T>
const T* try_as(const Object& object) {
  return object.kind == T::kKind ? static_cast<const T*>(&object) : nullptr;
}

}  // namespace tutti::model
