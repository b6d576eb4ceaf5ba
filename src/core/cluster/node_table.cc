#include "core/cluster/node_table.h"

#include <utility>

#include "base/check.h"

namespace tutti::core {
namespace {

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

NodeTable::NodeTable() {
  taint_sets_.emplace_back();
  taint_set_ids_.emplace(std::vector<model::Taint>{}, TaintSetId{0});
}

std::optional<NodeId> NodeTable::find(std::string_view name) const {
  const auto known = ids_.find(std::string(name));
  if (known == ids_.end()) return std::nullopt;
  return known->second;
}

std::span<const std::uint32_t> NodeTable::name_ranks() const {
  return name_ranks_.ranks(NodeNames{nodes_});
}

const ImageState* NodeTable::image(std::string_view name) const {
  const auto at = images_.find(normalized_image(name));
  return at == images_.end() ? nullptr : &at->second;
}

NodeId NodeTable::take_node_slot() {
  if (!vacant_.empty()) {
    const NodeId id = vacant_.back();
    vacant_.pop_back();
    TUTTI_CHECK(nodes_[id.index] == nullptr, "the slot is taken");
    return id;
  }
  const NodeId id{static_cast<std::uint32_t>(nodes_.size())};
  const std::size_t size = nodes_.size() + 1;
  nodes_.resize(size);
  live_.resize(size);
  unschedulable_.resize(size);
  taint_set_of_.resize(size, TaintSetId{0});
  for (auto& [name, image] : images_) image.nodes.resize(size);
  return id;
}

NodeId NodeTable::add(std::shared_ptr<const model::Node> node) {
  const NodeId id = take_node_slot();
  const bool fresh = ids_.emplace(node->meta.name, id).second;
  TUTTI_CHECK(fresh, "a node comes twice");
  live_.set(id.index);
  nodes_[id.index] = std::move(node);
  name_ranks_.add(id.index, NodeNames{nodes_});
  return id;
}

void NodeTable::replace(NodeId id, std::shared_ptr<const model::Node> node) {
  TUTTI_CHECK(alive(id) && node->meta.name == name(id), "another node");
  nodes_[id.index] = std::move(node);
}

void NodeTable::remove(NodeId id) {
  TUTTI_CHECK(alive(id), "a node goes twice");
  ids_.erase(name(id));
  live_.reset(id.index);
  nodes_[id.index].reset();
  vacant_.push_back(id);
  name_ranks_.remove(id.index);
}

void NodeTable::read(NodeId id) {
  const model::Node& node = at(id);
  if (node.unschedulable) unschedulable_.set(id.index);
  taint_set_of_[id.index] = intern_taints(node.taints);
  index_images(id, true);
}

void NodeTable::unread(NodeId id) {
  unschedulable_.reset(id.index);
  taint_set_of_[id.index] = TaintSetId{0};
  index_images(id, false);
}

TaintSetId NodeTable::intern_taints(const std::vector<model::Taint>& taints) {
  const auto [at, fresh] = taint_set_ids_.try_emplace(
      taints, TaintSetId{static_cast<std::uint32_t>(taint_sets_.size())});
  if (fresh) taint_sets_.push_back(taints);
  return at->second;
}

void NodeTable::index_images(NodeId id, bool present) {
  for (const auto& image : at(id).images) {
    for (const auto& name : image.names) {
      ImageState& state = images_[normalized_image(name)];
      state.nodes.resize(nodes_.size());
      present ? state.nodes.set(id.index) : state.nodes.reset(id.index);
      if (present) state.size_bytes = image.size_bytes;
    }
  }
}

}  // namespace tutti::core
