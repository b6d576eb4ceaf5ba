// Cluster: the scheduler's picture of the world, shaped for decisions.
//
// Nodes and pods live in dense tables; what plugins read per node lies in flat columns. Every
// derived figure (used resources, label populations, special shapes, domain columns) is kept up to
// date by place() and take_off(), so a tentative decision is a handful of additions and its undo
// as many subtractions (see transaction.h). No figure is ever recomputed per decision.
//
//      observed objects ──> set_node / set_pod / set_object ──┐
//                                                             ├──> tables + columns + journal
//      decisions ──> Transaction ──> place / take_off ────────┘
//
// Each table answers questions of its own; the cluster alone writes them and keeps them in step:
//
//      nodes()          which there are, their taints and images     node_table.h
//      resources()      what nodes offer, and what is used of it     resource_columns.h
//      labels()         nodes by label, and the domains labels make  node_labels.h
//      pods()           which there are, and which are on a node     pod_table.h
//      label_classes()  what pods share, under an id                 interned.h
//      populations()    which kinds of pods are on each node         populations.h
//      journal()        every place and remove, in order             journal.h
//      versions()       what else may change a plugin's answer       journal.h
//
// Not thread-safe; the scheduling thread owns it.
#pragma once

#include <map>

#include "base/std.h"
#include "core/cluster/domain_column.h"
#include "core/cluster/journal.h"
#include "core/cluster/node_labels.h"
#include "core/cluster/node_table.h"
#include "core/cluster/pod_table.h"
#include "core/cluster/populations.h"
#include "core/cluster/resource_columns.h"
#include "core/shapes/ids.h"
#include "core/shapes/interned.h"
#include "core/shapes/shape.h"
#include "core/shapes/work_class.h"
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

using LabelClasses = Interned<LabelClassId, LabelClass>;

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
  // Any other kind a plugin may look up. Raises the version of the structure.
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
  const NodeTable& nodes() const { return nodes_; }
  const model::Node& node(NodeId id) const { return nodes_.at(id); }
  const std::string& node_name(NodeId id) const { return nodes_.name(id); }
  const ResourceColumns& resources() const { return resources_; }
  const NodeLabels& labels() const { return labels_; }
  // Domains that groups lie in: of the label, and where a node lacks it, of the attribute of that
  // name that its devices have (see topology_columns.h). Built on first use, then kept up to date.
  // The reference stays valid; its content changes with the nodes.
  const DomainColumn& group_domains(std::string_view key) const;

  // --- pods --------------------------------------------------------------------------------------
  const PodTable& pods() const { return pods_; }
  const PodEntry& pod(PodId id) const { return pods_.at(id); }
  PodClass class_of(PodId id) const;
  const PodShape& shape(ShapeId id) const { return shapes_.at(id); }
  const LabelClasses& label_classes() const { return label_classes_; }
  const Populations& populations() const { return populations_; }
  // Whether pods of the shape may need devices: by claims, or by resources that classes stand for.
  bool wants_devices(const PodShape& shape) const;
  bool wants_devices(PodId id) const { return wants_devices(shape(pod(id).shape)); }

  // --- other objects -----------------------------------------------------------------------------
  const model::Object* find_object(const model::ObjectKey& key) const;
  template <typename T>
  const T* find_object(std::string_view ns, std::string_view name) const {
    const auto* object = find_object({T::kKind, std::string(ns), std::string(name), {}});
    return object ? &model::as<T>(*object) : nullptr;
  }
  // All objects of a kind in order of namespace and name.
  const std::map<model::ObjectKey, model::ObjectPtr>& objects(model::Kind kind) const;
  // Devices and claims: what is published, asked for, held and decided. Kept up to date by
  // set_object and remove_object; decisions about it are the device plugin's.
  devices::DeviceState& devices() const { return *devices_; }

  // --- change tracking ---------------------------------------------------------------------------
  const Journal& journal() const { return journal_; }
  const Versions& versions() const { return versions_; }
  void raise_structure_version() { ++versions_.structure; }
  // For changes the cluster itself does not keep, such as a group's minimum.
  void raise_observed_version() { ++versions_.observed; }

  // Frees shapes and label classes that no pod uses when they are the majority. Call between
  // cycles.
  void compact();

  // Rebuilds every derived figure from the objects and compares: the incremental-state invariant.
  // Empty when all agree, else a description of the first difference.
  std::string check_consistency() const;

 private:
  ResourceId resource_id(std::string_view name);
  void make_room();
  void read_node(NodeId id);
  void unread_node(NodeId id);
  void find_classes();
  void follow_devices();
  ShapeId intern_shape(const model::Pod& pod);
  LabelClassId intern_labels(const model::Pod& pod);
  std::uint32_t apart_number(const model::Pod& pod, const PodShape& shape);
  void release(ShapeId shape, LabelClassId labels);
  void count(const PodEntry& entry, NodeId node, std::int32_t sign);
  bool arrived(PodId id, const PodEntry& as) const;
  void update_pod(PodId id, PodEntry as);
  WorkClass work_of(const model::Pod& pod) const;
  bool is_demanding(const PodShape& shape) const;
  void settle(PodId id);
  void attach(PodId id, NodeId node);
  void detach(PodId id);
  void note(devices::News news, model::Kind kind);
  void unhold_on(NodeId node);

  NodeTable nodes_;
  ResourceColumns resources_;
  NodeLabels labels_{nodes_};

  PodTable pods_;
  Populations populations_;
  Interned<ShapeId, PodShape> shapes_;
  LabelClasses label_classes_;
  model::SpecMemo<ShapeId> shape_of_spec_;
  PodAspects aspects_ = PodAspects::images;
  std::uint32_t last_apart_ = 0;
  std::map<std::vector<std::pair<std::string, std::string>>, std::uint32_t> apart_by_annotations_;
  std::map<PodId, NodeId> held_;
  std::map<std::pair<std::string, std::string>, ClassWords> group_classes_;  // that say something

  std::map<model::ObjectKey, model::ObjectPtr> objects_[model::kKindCount];

  Journal journal_;
  Versions versions_;

  std::unique_ptr<DevicePlaces> places_;
  std::unique_ptr<devices::DeviceState> devices_;
  std::unique_ptr<TopologyColumns> topology_;
};

}  // namespace tutti::core
