// Cluster: the scheduler's picture of the world, shaped for decisions.
//
// Nodes and pods live in dense tables; what plugins read per node lies in flat columns. Every
// derived figure (used resources, label populations, special shapes, domain columns) is kept up to
// date by place() and remove(), so a tentative decision is a handful of additions and its undo the
// same handful of subtractions (see transaction.h). No figure is ever recomputed per decision.
//
//      observed objects ──> set_node / set_pod / set_object ──┐
//                                                             ├──> tables + columns + journal
//      decisions ──> Transaction ──> place / remove ──────────┘
//
// The journal lists every place and remove in order, so that an Evaluation made earlier catches up
// by reading what happened since. Anything else that can change a plugin's answer (a node's labels,
// a claim, a service) raises structure_version(), which makes evaluations start over.
//
// Not thread-safe; the scheduling thread owns it.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bitset.h"
#include "base/interner.h"
#include "core/cluster/domain_column.h"
#include "core/cluster/ids.h"
#include "core/cluster/name_ranks.h"
#include "core/cluster/shape.h"
#include "core/cluster/work_class.h"
#include "model/node.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/spec_memo.h"

namespace tutti::devices {
class DeviceState;
enum class News : std::uint8_t;
}  // namespace tutti::devices

namespace tutti::core {

class DevicePlaces;
class TopologyColumns;

// Pods that no selector can tell apart. Terminating pods form classes of their own because spread
// does not count them.
struct LabelClass {
  std::string ns;
  model::Labels labels;
  bool terminating = false;
};

struct LabelCount {
  LabelClassId labels;
  std::uint32_t count = 0;
};
struct ShapeCount {
  ShapeId shape;
  std::uint32_t count = 0;
};

struct ImageState {
  std::int64_t size_bytes = 0;
  Bitset nodes;  // which nodes have it
};

// A pod was put on (+1) or taken off (-1) a node, decided or observed.
struct Change {
  NodeId node;
  ShapeId shape;
  LabelClassId labels;
  std::int32_t count = 0;
};

// What a class of identical pods is to a plugin.
struct PodClass {
  ShapeId shape;
  LabelClassId labels;
  // Pods whose resource claims ask for the same, in the state they are in; 0: no claims.
  std::uint32_t claims = 0;
  WorkClass work = WorkClass::none;  // declared
  // One of the pods. Plugins may read what they say they look at: see pod_aspects.h.
  const model::Pod* sample = nullptr;
  // What else plugins look at tells pods with different numbers apart; 0: nothing does.
  std::uint32_t apart = 0;
};

struct PodEntry {
  std::shared_ptr<const model::Pod> object;
  ShapeId shape;
  LabelClassId labels;
  NodeId node;           // where it counts; invalid while pending or when the node is unknown
  bool assumed = false;  // on `node` by our decision, not yet observed there
  WorkClass work = WorkClass::none;  // declared by the pod or its group
  std::uint32_t apart = 0;           // see PodClass
};

class Cluster {
 public:
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // What plugins look at, of all pods to come. Requires that no pod is known.
  void look_at(PodAspects aspects);

  // --- observation -------------------------------------------------------------------------------
  NodeId set_node(std::shared_ptr<const model::Node> node);
  // Its pods stay known and count again when a node of that name returns.
  void remove_node(std::string_view name);
  // Adds or updates a non-terminal pod. A pod with a nodeName counts on that node; an update of an
  // assumed pod without one keeps the assumption.
  PodId set_pod(std::shared_ptr<const model::Pod> pod);
  void remove_pod(PodId pod);
  // Replaces an object by one that differs only in what no plugin reads (status, heartbeats).
  // Nothing waiting can notice, so no version rises.
  void refresh_pod(PodId pod, std::shared_ptr<const model::Pod> object);
  void refresh_node(NodeId node, std::shared_ptr<const model::Node> object);
  // What a PodGroup says about the class of its pods; nothing said when it is gone. True: it said
  // something else before, and its pods are to be looked at again with reclassify().
  bool set_group_class(std::string_view ns, std::string_view name, const ClassWords& words);
  void reclassify(PodId pod);
  // Any other kind a plugin may look up. Raises structure_version().
  void set_object(model::ObjectPtr object);
  void remove_object(const model::ObjectKey& key);

  // --- decisions (through Transaction only) ------------------------------------------------------
  // Requires a pending pod and a live node; the pod is then assumed there.
  void place(PodId pod, NodeId node);
  // Takes a placed pod off its node; it is pending again.
  void take_off(PodId pod);

  // --- what if (through Absence and Holds only) --------------------------------------------------
  // Takes a pod that is on a node out of the picture without making it pending, and puts it back
  // there. In between nothing may be observed.
  void lift(PodId pod);
  void put_back(PodId pod, NodeId node);
  // Counts a pending pod on a live node without placing it: room that is kept for it. Ends with
  // unhold(), and by itself when the pod or the node goes or the pod gets a node.
  void hold(PodId pod, NodeId node);
  void unhold(PodId pod);
  const std::map<PodId, NodeId>& held() const { return held_; }

  // --- nodes -------------------------------------------------------------------------------------
  std::size_t node_slots() const {
    return nodes_.size();
  }  // ids are below this; slots may be vacant
  const Bitset& live_nodes() const { return live_; }
  std::size_t node_count() const { return node_ids_.size(); }
  std::optional<NodeId> find_node(std::string_view name) const;
  bool node_alive(NodeId id) const { return live_.test(id.index); }
  const model::Node& node(NodeId id) const { return *nodes_[id.index]; }
  const std::string& node_name(NodeId id) const { return nodes_[id.index]->meta.name; }
  // Position of the node in order of names: the last word in every tie. Valid until nodes change.
  std::span<const std::uint32_t> name_ranks() const;

  // --- columns, indexed by NodeId::index; vacant slots hold zero --------------------------------
  std::size_t resource_count() const { return allocatable_.size(); }
  std::string_view resource_name(ResourceId id) const;
  ResourceId resource_id(std::string_view name);
  std::optional<ResourceId> find_resource(std::string_view name) const;
  // Where devices decide (see through_devices) there is plenty: it is not for counting.
  std::span<const std::int64_t> allocatable(ResourceId id) const { return allocatable_[id.index]; }
  // Nodes that do not advertise the resource themselves while a device class stands for it: there
  // it comes through claims. Empty when no class does.
  const Bitset& through_devices(ResourceId id) const { return through_devices_[id.index]; }
  // What the node itself has on offer, for people.
  std::int64_t offered(ResourceId id, NodeId node) const {
    const Bitset& devices = through_devices(id);
    return devices.size() > 0 && devices.test(node.index) ? 0 : allocatable_[id.index][node.index];
  }
  std::span<const std::int64_t> used(ResourceId id) const { return used_[id.index]; }
  std::span<const std::int64_t> nonzero_used_cpu() const { return nonzero_cpu_; }
  std::span<const std::int64_t> nonzero_used_memory() const { return nonzero_memory_; }
  // How many demanding pods (PodShape) of a declared class each node has.
  std::span<const std::uint32_t> demanding(WorkClass work) const {
    return demanding_[static_cast<std::size_t>(work)];
  }
  const Bitset& unschedulable_nodes() const { return unschedulable_; }
  std::span<const TaintSetId> taint_sets() const { return taint_set_of_; }
  std::size_t taint_set_count() const { return taint_sets_.size(); }
  // Id 0 is the empty set.
  const std::vector<model::Taint>& taint_set(TaintSetId id) const { return taint_sets_[id.index]; }

  // --- labels and domains ------------------------------------------------------------------------
  // Nodes carrying the label, by number.
  std::span<const NodeId> nodes_with_label(std::string_view key, std::string_view value) const;
  // Nodes carrying the key; null when no node ever had it.
  const Bitset* nodes_with_key(std::string_view key) const;
  // Domains of the label, for what Kubernetes defines by labels. Built on first use, then kept up
  // to date. The reference stays valid; its content changes with the nodes.
  const DomainColumn& domains(std::string_view key) const;
  // Domains that groups lie in, likewise: of the label, and where a node lacks it, of the attribute
  // of that name that its devices have (see topology_columns.h).
  const DomainColumn& group_domains(std::string_view key) const;

  // --- pods --------------------------------------------------------------------------------------
  std::optional<PodId> find_pod(std::string_view uid) const;
  const PodEntry& pod(PodId id) const { return pods_[id.index]; }
  std::size_t pod_slots() const { return pods_.size(); }  // a vacant slot has no object
  std::span<const PodId> pods_on(NodeId id) const { return pods_on_[id.index]; }
  PodClass class_of(PodId id) const;

  const PodShape& shape(ShapeId id) const { return *shapes_[id.index].shape; }
  const LabelClass& label_class(LabelClassId id) const { return *label_classes_[id.index].value; }
  std::size_t label_class_slots() const { return label_classes_.size(); }
  // How many pods of the class are on live nodes. Zero for a vacant slot.
  std::uint32_t label_class_total(LabelClassId id) const { return label_classes_[id.index].placed; }
  // Label classes present on the node with their counts, in no particular order.
  std::span<const LabelCount> population(NodeId id) const { return population_[id.index]; }
  // Whether pods of the shape may need devices: by claims, or by resources that classes stand for.
  bool wants_devices(const PodShape& shape) const;
  bool wants_devices(PodId id) const { return wants_devices(shape(pods_[id.index].shape)); }
  // Special shapes (ports, volumes, pod affinity) on the node; and over all live nodes.
  std::span<const ShapeCount> special_shapes(NodeId id) const { return special_[id.index]; }
  std::span<const ShapeCount> special_shapes() const { return special_total_; }

  // --- other objects -----------------------------------------------------------------------------
  const model::Object* find_object(const model::ObjectKey& key) const;
  template <typename T>
  const T* find_object(std::string_view ns, std::string_view name) const {
    const auto* object = find_object({T::kKind, std::string(ns), std::string(name), {}});
    return object ? &model::as<T>(*object) : nullptr;
  }
  // All objects of a kind in order of namespace and name.
  const std::map<model::ObjectKey, model::ObjectPtr>& objects(model::Kind kind) const;
  // How many pods (placed anywhere, any shape) use the claim "ns/name".
  std::uint32_t claim_users(std::string_view ns, std::string_view claim) const;
  // Devices and claims: what is published, asked for, held and decided. Kept up to date by
  // set_object and remove_object; decisions about it are the device plugin's.
  devices::DeviceState& devices() const { return *devices_; }
  // A name without a tag means ":latest".
  const ImageState* image(std::string_view name) const;

  // --- change tracking ---------------------------------------------------------------------------
  std::uint64_t structure_version() const { return structure_version_; }
  void raise_structure_version() { ++structure_version_; }
  // Rises when selectors by which pods are told apart may have changed: those of objects that
  // default spread follows, and of placed pods with affinity to pods. Label classes keep their ids
  // until it rises.
  std::uint64_t selectors_version() const { return selectors_version_; }
  // Rises when a node comes, goes or changes, its domains by devices included.
  std::uint64_t nodes_version() const { return nodes_version_; }
  // Sequence number of the next journal entry, and the entries from a sequence number on; nullopt
  // when they were already dropped.
  std::uint64_t journal_end() const { return journal_base_ + journal_.size(); }
  std::optional<std::span<const Change>> journal_since(std::uint64_t sequence) const;
  // Rises with every observed change that could let a waiting pod run or stop it from running, and
  // not with tentative decisions.
  std::uint64_t observed_version() const { return observed_version_; }
  // For changes the cluster itself does not keep, such as a group's minimum.
  void raise_observed_version() { ++observed_version_; }

  // Frees shapes and label classes that no pod uses when they are the majority. Call between
  // cycles.
  void compact();

  // Rebuilds every derived figure from the objects and compares: the incremental-state invariant.
  // Empty when all agree, else a description of the first difference.
  std::string check_consistency() const;

 private:
  struct ShapeSlot {
    std::unique_ptr<PodShape> shape;
    std::uint64_t hash = 0;
    std::uint32_t users = 0;   // pods known, placed or pending
    std::uint32_t placed = 0;  // pods on live nodes
  };
  // Pods by uid, without a copy of it: the entry knows its own.
  struct UidHash {
    using is_transparent = void;
    const std::vector<PodEntry>* pods;
    std::size_t operator()(std::string_view uid) const {
      return std::hash<std::string_view>{}(uid);
    }
    std::size_t operator()(PodId id) const { return (*this)((*pods)[id.index].object->meta.uid); }
  };
  struct SameUid {
    using is_transparent = void;
    const std::vector<PodEntry>* pods;
    bool operator()(PodId a, PodId b) const { return a == b; }
    bool operator()(std::string_view uid, PodId id) const {
      return (*pods)[id.index].object->meta.uid == uid;
    }
  };
  struct LabelSlot {
    std::unique_ptr<LabelClass> value;
    std::uint64_t hash = 0;
    std::uint32_t users = 0;
    std::uint32_t placed = 0;
  };

  NodeId take_node_slot();
  void write_node_columns(NodeId id, const model::Node& node);
  void clear_node_columns(NodeId id);
  void clear_amounts(NodeId id);
  void find_classes();
  void leave_to_devices(ResourceId resource, NodeId node);
  void index_labels(NodeId id, const model::Labels& labels, bool present);
  void index_images(NodeId id, const model::Node& node, bool present);
  void follow_devices();
  TaintSetId intern_taints(const std::vector<model::Taint>& taints);
  ShapeId intern_shape(const model::Pod& pod);
  LabelClassId intern_labels(const model::Pod& pod);
  std::uint32_t apart_number(const model::Pod& pod, const PodShape& shape);
  void release(ShapeId shape, LabelClassId labels);
  void count(const PodEntry& entry, NodeId node, std::int32_t sign);
  void count_claims(const PodShape& shape, std::int32_t sign);
  bool arrived(PodId id, const PodEntry& as) const;
  WorkClass work_of(const model::Pod& pod) const;
  bool is_demanding(const PodShape& shape) const;
  void settle(PodId id);
  void forget_homeless(PodId id);
  void attach(PodId id, NodeId node);
  void detach(PodId id);
  void append(const Change& change);
  void note(devices::News news, model::Kind kind);
  void unhold_on(NodeId node);

  // nodes
  std::vector<std::shared_ptr<const model::Node>> nodes_;
  std::unordered_map<std::string, NodeId> node_ids_;
  std::vector<NodeId> vacant_nodes_;
  Bitset live_;
  Bitset unschedulable_;
  std::vector<std::vector<std::int64_t>> allocatable_;
  std::vector<std::vector<std::int64_t>> used_;
  std::vector<Bitset> through_devices_;  // of no size where no class stands for the resource
  std::vector<std::int64_t> nonzero_cpu_;
  std::vector<std::int64_t> nonzero_memory_;
  std::array<std::vector<std::uint32_t>, kWorkClassCount> demanding_;
  Interner resources_;
  std::vector<TaintSetId> taint_set_of_;
  std::vector<std::vector<model::Taint>> taint_sets_;
  std::map<std::vector<model::Taint>, TaintSetId> taint_set_ids_;
  // By "key=value". Lists, because every node may have a value of its own.
  std::unordered_map<std::string, std::vector<NodeId>> label_nodes_;
  std::unordered_map<std::string, Bitset> key_nodes_;
  mutable std::map<std::string, DomainColumn, std::less<>> domain_columns_;
  mutable NameRanks name_ranks_;
  std::unordered_map<std::string, ImageState> images_;

  // pods
  std::vector<PodEntry> pods_;
  std::vector<std::uint32_t>
      position_on_node_;  // where a placed pod stands in pods_on_ of its node
  std::vector<PodId> vacant_pods_;
  boost::unordered_flat_set<PodId, UidHash, SameUid> pod_ids_{0, UidHash{&pods_}, SameUid{&pods_}};
  std::vector<std::vector<PodId>> pods_on_;
  std::unordered_map<std::string, std::vector<PodId>>
      homeless_;  // assigned to a node we do not know
  std::vector<std::vector<LabelCount>> population_;
  std::vector<std::vector<ShapeCount>> special_;
  std::vector<ShapeCount> special_total_;
  std::vector<ShapeSlot> shapes_;
  std::vector<ShapeId> vacant_shapes_;
  std::unordered_multimap<std::uint64_t, ShapeId> shape_ids_;
  model::SpecMemo<ShapeId> shape_of_spec_;
  PodAspects aspects_ = PodAspects::images;
  std::uint32_t last_apart_ = 0;
  std::map<std::vector<std::pair<std::string, std::string>>, std::uint32_t> apart_by_annotations_;
  std::vector<LabelSlot> label_classes_;
  std::vector<LabelClassId> vacant_label_classes_;
  std::unordered_multimap<std::uint64_t, LabelClassId> label_class_ids_;
  std::size_t unused_shapes_ = 0;  // interned, but no pod has them
  std::size_t unused_label_classes_ = 0;
  std::unordered_map<std::string, std::uint32_t> claim_users_;  // "ns/claim"
  std::map<PodId, NodeId> held_;
  std::map<std::pair<std::string, std::string>, ClassWords> group_classes_;  // that say something

  std::map<model::ObjectKey, model::ObjectPtr> objects_[model::kKindCount];

  std::vector<Change> journal_;
  std::uint64_t journal_base_ = 0;
  std::uint64_t structure_version_ = 1;
  std::uint64_t observed_version_ = 1;
  std::uint64_t nodes_version_ = 1;
  std::uint64_t selectors_version_ = 1;

  std::unique_ptr<DevicePlaces> places_;
  std::unique_ptr<devices::DeviceState> devices_;
  std::unique_ptr<TopologyColumns> topology_;
};

}  // namespace tutti::core
