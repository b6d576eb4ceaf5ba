// Nodes, their columns and indexes, and other objects. Pods are in cluster_pods.cc.
#include "core/cluster/cluster.h"

#include <algorithm>

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

// What a column says where devices decide: more than a node's pods can ask for, and little enough
// for the sum over all nodes.
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

std::string label_text(std::string_view key, std::string_view value) {
  std::string text;
  text.reserve(key.size() + value.size() + 1);
  return text.append(key).append("=").append(value);
}

// Image names without a tag or digest mean ":latest".
std::string normalized_image(std::string_view name) {
  std::string text(name);
  const auto colon = text.rfind(':');
  const auto slash = text.rfind('/');
  if (colon == std::string::npos || (slash != std::string::npos && colon < slash))
    text += ":latest";
  return text;
}

struct NodeNames {
  const std::vector<std::shared_ptr<const model::Node>>& nodes;
  const std::string& operator()(std::uint32_t index) const { return nodes[index]->meta.name; }
};

}  // namespace

Cluster::Cluster()
    : places_(std::make_unique<DevicePlaces>(*this)),
      devices_(std::make_unique<devices::DeviceState>(*places_)),
      topology_(std::make_unique<TopologyColumns>(*this)) {
  for (const auto name : {"cpu", "memory", "ephemeral-storage", "pods"}) resource_id(name);
  taint_sets_.emplace_back();
  taint_set_ids_.emplace(std::vector<model::Taint>{}, TaintSetId{0});
}

Cluster::~Cluster() = default;

ResourceId Cluster::resource_id(std::string_view name) {
  const ResourceId id{resources_.intern(name)};
  TUTTI_CHECK(id.index <= allocatable_.size(), "a resource without a column");
  if (id.index == allocatable_.size()) {
    allocatable_.emplace_back(nodes_.size(), 0);
    used_.emplace_back(nodes_.size(), 0);
    through_devices_.emplace_back();
    find_classes();
  }
  return id;
}

// Which resources are left to devices, wherever nodes do not advertise them.
void Cluster::find_classes() {
  for (std::uint32_t r = 0; r < through_devices_.size(); ++r) {
    const bool stands = devices_->plans().class_for(resource_name({r})) != nullptr;
    Bitset& nodes = through_devices_[r];
    if (stands == (nodes.size() > 0)) continue;
    if (stands) {
      // A cluster without nodes has room for one, too.
      nodes.resize(std::max<std::size_t>(1, nodes_.size()));
      live_.for_each_set(
          [&](std::size_t i) { leave_to_devices({r}, {static_cast<std::uint32_t>(i)}); });
    } else {
      nodes.for_each_set([&](std::size_t i) { allocatable_[r][i] = 0; });
      nodes = {};
    }
  }
}

void Cluster::leave_to_devices(ResourceId resource, NodeId node) {
  TUTTI_CHECK(live_.test(node.index), "devices of a node that is not there");
  std::int64_t& amount = allocatable_[resource.index][node.index];
  if (amount > 0) return;
  amount = kPlenty;
  through_devices_[resource.index].set(node.index);
}

std::optional<ResourceId> Cluster::find_resource(std::string_view name) const {
  const auto id = resources_.find(name);
  if (!id) return std::nullopt;
  return ResourceId{*id};
}

std::string_view Cluster::resource_name(ResourceId id) const { return resources_.text(id.index); }

NodeId Cluster::take_node_slot() {
  if (!vacant_nodes_.empty()) {
    const NodeId id = vacant_nodes_.back();
    vacant_nodes_.pop_back();
    TUTTI_CHECK(nodes_[id.index] == nullptr && pods_on_[id.index].empty(), "the slot is taken");
    return id;
  }
  const NodeId id{static_cast<std::uint32_t>(nodes_.size())};
  const std::size_t size = nodes_.size() + 1;
  nodes_.resize(size);
  live_.resize(size);
  unschedulable_.resize(size);
  for (auto& column : allocatable_) column.resize(size);
  for (auto& column : used_) column.resize(size);
  for (auto& nodes : through_devices_) {
    if (nodes.size() > 0) nodes.resize(size);
  }
  nonzero_cpu_.resize(size);
  nonzero_memory_.resize(size);
  for (auto& column : demanding_) column.resize(size);
  taint_set_of_.resize(size, TaintSetId{0});
  pods_on_.resize(size);
  population_.resize(size);
  special_.resize(size);
  for (auto& [key, nodes] : key_nodes_) nodes.resize(size);
  for (auto& [name, image] : images_) image.nodes.resize(size);
  for (auto& [key, column] : domain_columns_) column.domain_of.resize(size, DomainColumn::kNone);
  topology_->make_room(size);
  return id;
}

NodeId Cluster::set_node(std::shared_ptr<const model::Node> node) {
  ++structure_version_;
  ++nodes_version_;
  ++observed_version_;
  const auto known = node_ids_.find(node->meta.name);
  if (known != node_ids_.end()) {
    const NodeId id = known->second;
    clear_node_columns(id);
    nodes_[id.index] = std::move(node);
    write_node_columns(id, *nodes_[id.index]);
    return id;
  }
  const NodeId id = take_node_slot();
  node_ids_.emplace(node->meta.name, id);
  live_.set(id.index);
  nodes_[id.index] = std::move(node);
  name_ranks_.add(id.index, NodeNames{nodes_});
  write_node_columns(id, *nodes_[id.index]);
  if (auto waiting = homeless_.extract(nodes_[id.index]->meta.name); !waiting.empty()) {
    for (const PodId pod : waiting.mapped()) attach(pod, id);
  }
  return id;
}

void Cluster::refresh_node(NodeId id, std::shared_ptr<const model::Node> object) {
  TUTTI_CHECK(live_.test(id.index) && object->meta.name == node_name(id), "another node");
  nodes_[id.index] = std::move(object);
}

void Cluster::remove_node(std::string_view name) {
  const auto known = node_ids_.find(std::string(name));
  if (known == node_ids_.end()) return;
  ++structure_version_;
  ++nodes_version_;
  ++observed_version_;
  const NodeId id = known->second;
  unhold_on(id);
  while (!pods_on_[id.index].empty()) {
    const PodId pod = pods_on_[id.index].back();
    detach(pod);
    if (!pods_[pod.index].assumed) homeless_[known->first].push_back(pod);
    pods_[pod.index].assumed = false;
  }
  TUTTI_CHECK(live_.test(id.index), "a node goes twice");
  clear_node_columns(id);
  node_ids_.erase(known);
  live_.reset(id.index);
  nodes_[id.index].reset();
  vacant_nodes_.push_back(id);
  name_ranks_.remove(id.index);
}

void Cluster::write_node_columns(NodeId id, const model::Node& node) {
  // A name that is new may be one that devices stand for.
  for (const auto& [name, quantity] : node.allocatable) static_cast<void>(resource_id(name));
  clear_amounts(id);
  for (const auto& [name, quantity] : node.allocatable) {
    const ResourceId resource = resource_id(name);
    const std::int64_t amount = resource == kCpu ? quantity.milli() : quantity.units();
    allocatable_[resource.index][id.index] = std::min(amount, kAmountMax - 1);
  }
  for (std::uint32_t r = 0; r < through_devices_.size(); ++r) {
    if (through_devices_[r].size() > 0) leave_to_devices({r}, id);
  }
  if (node.unschedulable) unschedulable_.set(id.index);
  taint_set_of_[id.index] = intern_taints(node.taints);
  index_labels(id, node.meta.labels, true);
  topology_->add(id);
  index_images(id, node, true);
}

void Cluster::clear_amounts(NodeId id) {
  for (auto& column : allocatable_) column[id.index] = 0;
  for (auto& nodes : through_devices_) {
    if (nodes.size() > 0) nodes.reset(id.index);
  }
}

void Cluster::clear_node_columns(NodeId id) {
  const model::Node& node = *nodes_[id.index];
  clear_amounts(id);
  unschedulable_.reset(id.index);
  taint_set_of_[id.index] = TaintSetId{0};
  index_labels(id, node.meta.labels, false);
  topology_->remove(id);
  index_images(id, node, false);
}

TaintSetId Cluster::intern_taints(const std::vector<model::Taint>& taints) {
  const auto [at, fresh] = taint_set_ids_.try_emplace(
      taints, TaintSetId{static_cast<std::uint32_t>(taint_sets_.size())});
  if (fresh) taint_sets_.push_back(taints);
  return at->second;
}

void Cluster::index_labels(NodeId id, const model::Labels& labels, bool present) {
  for (const auto& [key, value] : labels) {
    Bitset& with_key = key_nodes_[key];
    with_key.resize(nodes_.size());
    present ? with_key.set(id.index) : with_key.reset(id.index);
    const auto at = label_nodes_.try_emplace(label_text(key, value)).first;
    auto& nodes = at->second;
    const auto place = std::ranges::lower_bound(nodes, id);
    TUTTI_CHECK(present || (place != nodes.end() && *place == id), "a label that was not there");
    present ? static_cast<void>(nodes.insert(place, id)) : static_cast<void>(nodes.erase(place));
    if (nodes.empty()) label_nodes_.erase(at);
  }
  for (auto& [key, column] : domain_columns_) {
    column.put(id, present ? model::find(labels, key) : nullptr);
  }
}

void Cluster::index_images(NodeId id, const model::Node& node, bool present) {
  for (const auto& image : node.images) {
    for (const auto& name : image.names) {
      ImageState& state = images_[normalized_image(name)];
      state.nodes.resize(nodes_.size());
      present ? state.nodes.set(id.index) : state.nodes.reset(id.index);
      if (present) state.size_bytes = image.size_bytes;
    }
  }
}

std::optional<NodeId> Cluster::find_node(std::string_view name) const {
  const auto known = node_ids_.find(std::string(name));
  if (known == node_ids_.end()) return std::nullopt;
  return known->second;
}

std::span<const std::uint32_t> Cluster::name_ranks() const {
  return name_ranks_.ranks(NodeNames{nodes_});
}

std::span<const NodeId> Cluster::nodes_with_label(std::string_view key,
                                                  std::string_view value) const {
  const auto at = label_nodes_.find(label_text(key, value));
  if (at == label_nodes_.end()) return {};
  return at->second;
}

const Bitset* Cluster::nodes_with_key(std::string_view key) const {
  const auto at = key_nodes_.find(std::string(key));
  return at == key_nodes_.end() ? nullptr : &at->second;
}

const DomainColumn& Cluster::domains(std::string_view key) const {
  if (const auto at = domain_columns_.find(key); at != domain_columns_.end()) return at->second;
  DomainColumn& column = domain_columns_[std::string(key)];
  column.domain_of.assign(nodes_.size(), DomainColumn::kNone);
  live_.for_each_set([&](std::size_t index) {
    column.put({static_cast<std::uint32_t>(index)}, model::find(nodes_[index]->meta.labels, key));
  });
  return column;
}

const DomainColumn& Cluster::group_domains(std::string_view key) const {
  return may_name_attribute(key) ? topology_->column(key) : domains(key);
}

void Cluster::set_object(model::ObjectPtr object) {
  // Groups will ask for these: better counted while nodes come than when the first decision waits.
  if (object->kind == model::Kind::topology) {
    for (const auto& level : model::as<model::Topology>(*object).levels) group_domains(level);
  }
  note(devices_->set(object), object->kind);
  if (spreads_pods(object->kind)) ++selectors_version_;
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
  if (spreads_pods(key.kind)) ++selectors_version_;
  follow_devices();
  if (key.kind == model::Kind::device_class) find_classes();
  objects.erase(known);
}

// Devices know best what a change of theirs may mean; any other object may mean anything.
void Cluster::note(devices::News news, model::Kind kind) {
  using devices::News;
  const bool known = kind == model::Kind::resource_claim || kind == model::Kind::resource_slice ||
                     kind == model::Kind::device_class || kind == model::Kind::device_taint_rule;
  if (!known || news == News::answers) ++structure_version_;
  if (!known || news != News::none) ++observed_version_;
}

// Nodes may lie elsewhere now because of what their devices say.
void Cluster::follow_devices() {
  if (topology_->devices_changed(devices_->take_changed_reaches())) ++nodes_version_;
}

const model::Object* Cluster::find_object(const model::ObjectKey& key) const {
  const auto& kind = objects(key.kind);
  const auto at = kind.find(key);
  return at == kind.end() ? nullptr : at->second.get();
}

const std::map<model::ObjectKey, model::ObjectPtr>& Cluster::objects(model::Kind kind) const {
  return objects_[static_cast<std::size_t>(kind)];
}

const ImageState* Cluster::image(std::string_view name) const {
  const auto at = images_.find(normalized_image(name));
  return at == images_.end() ? nullptr : &at->second;
}

std::optional<std::span<const Change>> Cluster::journal_since(std::uint64_t sequence) const {
  TUTTI_CHECK(sequence <= journal_end(), "changes that are still to come");
  if (sequence < journal_base_) return std::nullopt;
  return std::span(journal_).subspan(static_cast<std::size_t>(sequence - journal_base_));
}

}  // namespace tutti::core
