#include "core/cluster/node_labels.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

std::string label_text(std::string_view key, std::string_view value) {
  std::string text;
  text.reserve(key.size() + value.size() + 1);
  return text.append(key).append("=").append(value);
}

}  // namespace

std::span<const NodeId> NodeLabels::nodes_with(std::string_view key, std::string_view value) const {
  const auto at = with_label_.find(label_text(key, value));
  if (at == with_label_.end()) return {};
  return at->second;
}

const Bitset* NodeLabels::nodes_with_key(std::string_view key) const {
  const auto at = with_key_.find(std::string(key));
  return at == with_key_.end() ? nullptr : &at->second;
}

const DomainColumn& NodeLabels::domains(std::string_view key) const {
  if (const auto at = domains_.find(key); at != domains_.end()) return at->second;
  DomainColumn& column = domains_[std::string(key)];
  column.domain_of.assign(nodes_.slots(), DomainColumn::kNone);
  nodes_.live().for_each_set([&](std::size_t index) {
    const NodeId id{static_cast<std::uint32_t>(index)};
    column.put(id, model::find(nodes_.at(id).meta.labels, key));
  });
  return column;
}

void NodeLabels::make_room(std::size_t node_slots) {
  for (auto& [key, nodes] : with_key_) nodes.resize(node_slots);
  for (auto& [key, column] : domains_) column.domain_of.resize(node_slots, DomainColumn::kNone);
}

void NodeLabels::index(NodeId id, bool present) {
  const model::Labels& labels = nodes_.at(id).meta.labels;
  for (const auto& [key, value] : labels) {
    Bitset& with_key = with_key_[key];
    with_key.resize(nodes_.slots());
    present ? with_key.set(id.index) : with_key.reset(id.index);
    const auto at = with_label_.try_emplace(label_text(key, value)).first;
    auto& nodes = at->second;
    const auto place = std::ranges::lower_bound(nodes, id);
    TUTTI_CHECK(present || (place != nodes.end() && *place == id), "a label that was not there");
    present ? static_cast<void>(nodes.insert(place, id)) : static_cast<void>(nodes.erase(place));
    if (nodes.empty()) with_label_.erase(at);
  }
  for (auto& [key, column] : domains_) {
    column.put(id, present ? model::find(labels, key) : nullptr);
  }
}

}  // namespace tutti::core
