// Nodes and other objects. Pods are in cluster_pods.cc.
#include "core/cluster/cluster.h"

#include <utility>

#include "base/check.h"
#include "core/cluster/device_places.h"
#include "core/cluster/topology_columns.h"
#include "devices/device_state.h"
#include "model/topology.h"

namespace tutti::core {
namespace {

// Whether default spread follows the selectors of objects of the kind.
bool spreads_pods(model::Kind kind) {
  return kind == model::Kind::service || kind == model::Kind::replication_controller ||
         kind == model::Kind::replica_set || kind == model::Kind::stateful_set;
}

}  // namespace

Cluster::Cluster()
    : places_(std::make_unique<DevicePlaces>(*this)),
      devices_(std::make_unique<devices::DeviceState>(*places_)),
      topology_(std::make_unique<TopologyColumns>(*this)) {
  for (const auto name : {"cpu", "memory", "ephemeral-storage", "pods"}) resource_id(name);
}

Cluster::~Cluster() = default;

// A name that is new may be one that devices stand for.
ResourceId Cluster::resource_id(std::string_view name) {
  const std::size_t known = resources_.count();
  const ResourceId id = resources_.intern(name);
  if (resources_.count() > known) find_classes();
  return id;
}

// Which resources are left to devices, wherever nodes do not advertise them.
void Cluster::find_classes() {
  for (std::uint32_t r = 0; r < resources_.count(); ++r) {
    const bool stands = devices_->plans().class_for(resources_.name({r})) != nullptr;
    resources_.leave_to_devices({r}, stands, nodes_.live());
  }
}

void Cluster::make_room() {
  const std::size_t slots = nodes_.slots();
  resources_.make_room(slots);
  labels_.make_room(slots);
  pods_.make_room(slots);
  populations_.make_room(slots);
  topology_->make_room(slots);
}

NodeId Cluster::set_node(std::shared_ptr<const model::Node> node) {
  ++versions_.structure;
  ++versions_.nodes;
  ++versions_.observed;
  if (const auto known = nodes_.find(node->meta.name)) {
    unread_node(*known);
    nodes_.replace(*known, std::move(node));
    read_node(*known);
    return *known;
  }
  const std::size_t slots = nodes_.slots();
  const NodeId id = nodes_.add(std::move(node));
  if (nodes_.slots() > slots) make_room();
  TUTTI_CHECK(pods_.on(id).empty(), "pods on a node that was not there");
  read_node(id);
  for (const PodId pod : pods_.take_waiting(node_name(id))) attach(pod, id);
  return id;
}

void Cluster::refresh_node(NodeId id, std::shared_ptr<const model::Node> object) {
  nodes_.replace(id, std::move(object));
}

void Cluster::remove_node(std::string_view name) {
  const auto known = nodes_.find(name);
  if (!known) return;
  ++versions_.structure;
  ++versions_.nodes;
  ++versions_.observed;
  unhold_on(*known);
  while (!pods_.on(*known).empty()) {
    const PodId pod = pods_.on(*known).back();
    detach(pod);
    PodEntry& entry = pods_.entry(pod);
    if (!entry.assumed) pods_.wait_for_node(node_name(*known), pod);
    entry.assumed = false;
  }
  unread_node(*known);
  nodes_.remove(*known);
}

// Takes what the node says of itself into all tables.
void Cluster::read_node(NodeId id) {
  for (const auto& [name, quantity] : node(id).allocatable) static_cast<void>(resource_id(name));
  resources_.read(id, node(id));
  nodes_.read(id);
  labels_.read(id);
  topology_->add(id);
}

void Cluster::unread_node(NodeId id) {
  resources_.unread(id);
  nodes_.unread(id);
  labels_.unread(id);
  topology_->remove(id);
}

const DomainColumn& Cluster::group_domains(std::string_view key) const {
  return may_name_attribute(key) ? topology_->column(key) : labels_.domains(key);
}

void Cluster::set_object(model::ObjectPtr object) {
  // Groups will ask for these: better counted while nodes come than when the first decision waits.
  if (object->kind == model::Kind::topology) {
    for (const auto& level : model::as<model::Topology>(*object).levels) group_domains(level);
  }
  note(devices_->set(object), object->kind);
  if (spreads_pods(object->kind)) ++versions_.selectors;
  follow_devices();
  if (object->kind == model::Kind::device_class) find_classes();
  auto key = model::key_of(*object);
  objects_[static_cast<std::size_t>(key.kind)].insert_or_assign(std::move(key), std::move(object));
}

void Cluster::remove_object(const model::ObjectKey& key) {
  auto& objects = objects_[static_cast<std::size_t>(key.kind)];
  const auto known = objects.find(key);
  if (known == objects.end()) return;
  note(devices_->remove(*known->second), key.kind);
  if (spreads_pods(key.kind)) ++versions_.selectors;
  follow_devices();
  if (key.kind == model::Kind::device_class) find_classes();
  objects.erase(known);
}

// Devices know best what a change of theirs may mean; any other object may mean anything.
void Cluster::note(devices::News news, model::Kind kind) {
  using devices::News;
  const bool known = kind == model::Kind::resource_claim || kind == model::Kind::resource_slice ||
                     kind == model::Kind::device_class || kind == model::Kind::device_taint_rule;
  if (!known || news == News::answers) ++versions_.structure;
  if (!known || news != News::none) ++versions_.observed;
}

// Nodes may lie elsewhere now because of what their devices say.
void Cluster::follow_devices() {
  if (topology_->devices_changed(devices_->take_changed_reaches())) ++versions_.nodes;
}

const model::Object* Cluster::find_object(const model::ObjectKey& key) const {
  const auto& kind = objects(key.kind);
  const auto at = kind.find(key);
  return at == kind.end() ? nullptr : at->second.get();
}

const std::map<model::ObjectKey, model::ObjectPtr>& Cluster::objects(model::Kind kind) const {
  return objects_[static_cast<std::size_t>(kind)];
}

}  // namespace tutti::core
