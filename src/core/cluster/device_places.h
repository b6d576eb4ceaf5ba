// DevicePlaces: which nodes devices can be used from, for devices::DeviceState.
#pragma once

#include <unordered_map>

#include "base/bitset.h"
#include "base/std.h"
#include "devices/allocation/allocator.h"

namespace tutti::core {

class Cluster;

class DevicePlaces final : public devices::Places {
 public:
  // The cluster must outlive it.
  explicit DevicePlaces(const Cluster& cluster) : cluster_(cluster) {}

  devices::ReachId own(devices::NodeIndex node) const override;
  bool reaches(devices::ReachId wide, devices::NodeIndex node) const override;
  bool advertises(devices::NodeIndex node, const std::string& resource) const override;
  bool labelled(devices::NodeIndex node, const std::string& key) const override;

 private:
  void refresh() const;

  const Cluster& cluster_;
  // As of these versions of nodes and reaches.
  mutable std::uint64_t seen_nodes_ = 0;
  mutable std::size_t seen_reaches_ = 0;
  mutable std::vector<devices::ReachId> own_;                      // by node
  mutable std::unordered_map<devices::ReachId, Bitset> nodes_of_;  // of wide reaches asked for
};

}  // namespace tutti::core
