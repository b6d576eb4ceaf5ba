#include "core/cluster/device_places.h"

#include "core/cluster/cluster.h"
#include "core/cluster/node_match.h"
#include "devices/device_state.h"

namespace tutti::core {

void DevicePlaces::refresh() const {
  const auto& inventory = cluster_.devices().inventory();
  if (seen_nodes_ == cluster_.versions().nodes && seen_reaches_ == inventory.reach_count()) return;
  seen_nodes_ = cluster_.versions().nodes;
  seen_reaches_ = inventory.reach_count();
  nodes_of_.clear();
  own_.assign(cluster_.nodes().slots(), devices::ReachId{});
  cluster_.nodes().live().for_each_set([&](std::size_t i) {
    own_[i] = inventory.find_node_reach(cluster_.node_name({static_cast<std::uint32_t>(i)}));
  });
}

devices::ReachId DevicePlaces::own(devices::NodeIndex node) const {
  refresh();
  return own_[node];
}

bool DevicePlaces::reaches(devices::ReachId wide, devices::NodeIndex node) const {
  refresh();
  const auto& reach = cluster_.devices().inventory().reach(wide);
  if (reach.kind == model::DeviceReach::Kind::all) return true;
  const auto [at, fresh] = nodes_of_.try_emplace(wide);
  if (fresh) at->second = nodes_matching_any(cluster_, reach.selector);
  return at->second.test(node);
}

bool DevicePlaces::advertises(devices::NodeIndex node, const std::string& resource) const {
  const Quantity* amount = model::find(cluster_.node({node}).allocatable, resource);
  return amount != nullptr && amount->units() > 0;
}

bool DevicePlaces::labelled(devices::NodeIndex node, const std::string& key) const {
  return model::find(cluster_.node({node}).meta.labels, key) != nullptr;
}

}  // namespace tutti::core
