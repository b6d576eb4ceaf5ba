#include "core/topology_columns.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/cluster.h"
#include "devices/attributes.h"
#include "devices/picture.h"

namespace tutti::core {
namespace {

// By the name alone: drivers publish these under domains of their own, too.
constexpr std::array<std::string_view, 5> kInsideNodes = {"numaNode", "numaNodeID", "pciBusID",
                                                          "pcieRoot", "socketID"};

bool lies_inside_nodes(std::string_view key) {
  return std::ranges::find(kInsideNodes, key.substr(key.find('/') + 1)) != kInsideNodes.end();
}

std::vector<std::string> device_values(const Cluster& cluster, std::string_view key,
                                       const std::string& node) {
  const auto& inventory = cluster.devices().inventory();
  const devices::ReachId own = inventory.find_node_reach(node);
  return own.valid() ? devices::values_at(inventory, own, key) : std::vector<std::string>{};
}

}  // namespace

bool may_name_attribute(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < key.size();
}

const TopologyColumn& TopologyColumns::column(std::string_view key) {
  if (const auto at = columns_.find(key); at != columns_.end()) return at->second;
  TopologyColumn& made = columns_[std::string(key)];
  made.domains.domain_of.assign(cluster_.node_slots(), DomainColumn::kNone);
  cluster_.live_nodes().for_each_set(
      [&](std::size_t i) { place(key, made, {static_cast<std::uint32_t>(i)}); });
  return made;
}

std::vector<std::string> TopologyColumns::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, column] : columns_) keys.push_back(key);
  return keys;
}

void TopologyColumns::make_room(std::size_t node_slots) {
  for (auto& [key, column] : columns_) {
    column.domains.domain_of.resize(node_slots, DomainColumn::kNone);
  }
}

void TopologyColumns::add(NodeId node) {
  for (auto& [key, column] : columns_) place(key, column, node);
}

void TopologyColumns::remove(NodeId node) {
  for (auto& [key, column] : columns_) {
    column.domains.put(node, nullptr);
    column.divided.erase(node);
  }
}

bool TopologyColumns::devices_changed(const std::set<devices::ReachId>& reaches) {
  if (columns_.empty()) return false;
  bool moved = false;
  for (const devices::ReachId reach : reaches) {
    const auto node = cluster_.find_node(cluster_.devices().inventory().reach(reach).node);
    if (!node) continue;
    for (auto& [key, column] : columns_) moved = place(key, column, *node) || moved;
  }
  return moved;
}

// Whether anything is another than before.
bool TopologyColumns::place(std::string_view key, TopologyColumn& column, NodeId node) const {
  const std::uint32_t domain_before = column.domains.domain_of[node.index];
  const auto divided_before = column.divided.find(node);
  const std::size_t values_before =
      divided_before == column.divided.end() ? 0 : divided_before->second;
  std::size_t several = 0;
  if (const auto* label = model::find(cluster_.node(node).meta.labels, key)) {
    column.domains.put(node, label);
  } else {
    auto values = device_values(cluster_, key, cluster_.node_name(node));
    if (values.size() > 1) several = values.size();
    if (values.size() == 1 && lies_inside_nodes(key)) {
      values.front().insert(0, cluster_.node_name(node) + "/");
    }
    column.domains.put(node, values.size() == 1 ? &values.front() : nullptr);
  }
  if (several > 0) {
    column.divided.insert_or_assign(node, several);
  } else {
    column.divided.erase(node);
  }
  return column.domains.domain_of[node.index] != domain_before || several != values_before;
}

}  // namespace tutti::core
