// Who holds devices: pods, and groups that hold some although they are below their minimum.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "devices/inventory/ids.h"

namespace tutti::capacity {

// By resource name, or by driver.
using DeviceCounts = std::map<std::string, std::size_t>;

// Adds what the pod holds, if it is on a node. A claim counts once: for the first pod asked about,
// of those asked with the same `seen`.
void add_devices_of(const core::Cluster& cluster, core::PodId pod, std::set<devices::ClaimId>& seen,
                    DeviceCounts& counts);

struct IncompleteGroup {
  std::string name;  // "PodGroup ns/name"
  std::size_t placed = 0;
  std::size_t minimum = 0;
  std::string why;  // "1 of 4 members are placed", or of which group it is a part
  DeviceCounts devices;
  // The devices by name and, where a label of their nodes tells them apart, by its value.
  std::map<std::pair<std::string, std::string>, std::size_t> parts{};
};

// PodGroups that hold nodes while they, or a group above them, are below their minimum; by name.
// Only those that hold devices. `by` as of device_use().
std::vector<IncompleteGroup> incomplete_groups(const core::Cluster& cluster,
                                               const core::GroupTable& groups,
                                               const std::string& by = {});

}  // namespace tutti::capacity
