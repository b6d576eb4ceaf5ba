// The topology levels that a report looks at: the whole cluster, and the keys that divide it.
#pragma once

#include "base/std.h"
#include "core/scheduler/scheduler.h"

namespace tutti::capacity {

struct Level {
  std::string key;          // empty: the whole cluster
  std::size_t domains = 1;  // with nodes
  bool operator==(const Level&) const = default;
};

// The cluster, then keys that some node is in a domain of, those with fewer domains first: keys of
// Topology objects, keys that groups and pods ask for, keys `asked` for, and labels and device
// attributes whose last word names a place (zone, rack, hostname, clique …).
std::vector<Level> levels_of(const core::Scheduler& scheduler, std::span<const std::string> asked);

}  // namespace tutti::capacity
