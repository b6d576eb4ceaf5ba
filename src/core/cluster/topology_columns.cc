#include "core/cluster/topology_columns.h"

#include <algorithm>
#include <array>

#include "base/bitset.h"
#include "core/cluster/cluster.h"
#include "core/cluster/node_match.h"
#include "devices/device_state.h"
#include "devices/inventory/attributes.h"

namespace tutti::core {
namespace {

// By the name alone: drivers publish these under domains of their own, too.
constexpr std::array<std::string_view, 5> kInsideNodes = {"numaNode", "numaNodeID", "pciBusID",
                                                          "pcieRoot", "socketID"};

bool lies_inside_nodes(std::string_view key) {
  return std::ranges::find(kInsideNodes, key.substr(key.find('/') + 1)) != kInsideNodes.end();
}

}  // namespace

bool may_name_attribute(std::string_view key) {
  const std::size_t slash = key.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < key.size();
}

std::string_view device_value(std::string_view key, std::string_view domain) {
  return lies_inside_nodes(key) ? domain.substr(domain.find('/') + 1) : domain;
}

const DomainColumn& TopologyColumns::column(std::string_view key) {
  if (const auto at = columns_.find(key); at != columns_.end()) return at->second.domains;
  Column& made = columns_[std::string(key)];
  made.domains.domain_of.assign(cluster_.nodes().slots(), DomainColumn::kNone);
  look_at_wide(key, made);
  cluster_.nodes().live().for_each_set(
      [&](std::size_t i) { place(key, made, {static_cast<std::uint32_t>(i)}); });
  return made.domains;
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
  for (auto& [key, column] : columns_) column.domains.put(node, nullptr);
}

bool TopologyColumns::devices_changed(const std::set<devices::ReachId>& reaches) {
  if (columns_.empty()) return false;
  const auto& inventory = cluster_.devices().inventory();
  Bitset nodes(cluster_.nodes().slots());
  bool wide = false;
  for (const devices::ReachId reach : reaches) {
    wide = wide || inventory.is_wide(reach);
    const auto node = cluster_.nodes().find(inventory.reach(reach).node);
    if (node) nodes.set(node->index);
  }
  bool moved = false;
  for (auto& [key, column] : columns_) {
    const auto before = column.wide;
    if (wide) look_at_wide(key, column);
    const Bitset& concerned = before == column.wide ? nodes : cluster_.nodes().live();
    concerned.for_each_set([&, &key = key, &column = column](std::size_t i) {
      moved = place(key, column, {static_cast<std::uint32_t>(i)}) || moved;
    });
  }
  return moved;
}

void TopologyColumns::look_at_wide(std::string_view key, Column& column) const {
  column.wide = devices::wide_values(cluster_.devices().inventory(), key);
}

std::vector<std::string> TopologyColumns::values_at(std::string_view key, const Column& column,
                                                    NodeId node) const {
  if (const auto* label = model::find(cluster_.node(node).meta.labels, key)) return {*label};
  const auto& inventory = cluster_.devices().inventory();
  const devices::ReachId own = inventory.find_node_reach(cluster_.node_name(node));
  std::vector<std::string> values;
  if (own.valid()) values = devices::values_at(inventory, own, key);
  for (const auto& [id, there] : column.wide) {
    const devices::Reach& reach = inventory.reach(id);
    const bool here = reach.kind == model::DeviceReach::Kind::all ||
                      node_matches_any(cluster_.node(node), reach.selector);
    if (here) values.insert(values.end(), there.begin(), there.end());
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (lies_inside_nodes(key)) {
    for (std::string& value : values) value.insert(0, cluster_.node_name(node) + "/");
  }
  return values;
}

// Whether the node is elsewhere than before.
bool TopologyColumns::place(std::string_view key, Column& column, NodeId node) const {
  const auto at = column.domains.domains_at(node);
  const std::vector<std::uint32_t> before(at.begin(), at.end());
  column.domains.put(node, values_at(key, column, node));
  return !std::ranges::equal(before, column.domains.domains_at(node));
}

}  // namespace tutti::core
