#include "core/cluster/pod_table.h"

#include <utility>

#include "base/check.h"
#include "core/shapes/slots.h"

namespace tutti::core {

std::optional<PodId> PodTable::find(std::string_view uid) const {
  const auto at = ids_.find(uid);
  if (at == ids_.end()) return std::nullopt;
  return *at;
}

PodId PodTable::add(PodEntry entry) {
  const PodId id = take_slot(pods_, vacant_);
  position_on_node_.resize(pods_.size());
  pods_[id.index] = std::move(entry);
  ids_.insert(id);
  return id;
}

void PodTable::remove(PodId id) {
  TUTTI_CHECK(!pods_[id.index].node.valid(), "a pod goes while it counts somewhere");
  ids_.erase(id);
  pods_[id.index] = {};
  vacant_.push_back(id);
}

void PodTable::make_room(std::size_t node_slots) { on_.resize(node_slots); }

void PodTable::put(PodId id, NodeId node) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(!entry.node.valid(), "a pod is placed once");
  entry.node = node;
  auto& list = on_[node.index];
  position_on_node_[id.index] = static_cast<std::uint32_t>(list.size());
  list.push_back(id);
}

void PodTable::take(PodId id) {
  PodEntry& entry = pods_[id.index];
  auto& list = on_[entry.node.index];
  const std::uint32_t position = position_on_node_[id.index];
  TUTTI_CHECK(position < list.size() && list[position] == id, "a pod is not where it was put");
  list[position] = list.back();
  position_on_node_[list[position].index] = position;
  list.pop_back();
  entry.node = {};
}

void PodTable::stop_waiting(PodId id) {
  const auto at = homeless_.find(pods_[id.index].object->node_name);
  if (at == homeless_.end()) return;
  std::erase(at->second, id);
  if (at->second.empty()) homeless_.erase(at);
}

std::vector<PodId> PodTable::take_waiting(const std::string& name) {
  auto waiting = homeless_.extract(name);
  return waiting.empty() ? std::vector<PodId>{} : std::move(waiting.mapped());
}

}  // namespace tutti::core
