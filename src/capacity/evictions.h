// What a preemption would cost and gain: for what waits for room, who would have to give way if it
// were more important than all of them.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/waiting.h"
#include "capacity/holdings.h"
#include "explain/verdict/verdict.h"

namespace tutti::capacity {

struct Eviction {
  std::string name;                  // who would run
  std::size_t pods = 0;              // of it
  DeviceCounts devices;              // that they would hold, by extended resource
  std::int32_t priority = 0;         // it has
  std::int32_t priority_needed = 0;  // the least at which it may do this
  explain::Preemption verdict;       // outcome, victims and what they lose
};

// Finds what the first few in the queue that lack room would evict. Those who may not evict anyone,
// whatever their priority, are left out.
std::vector<Eviction> evictions(ClusterCopy& twin, const Queue& queue, Instant now);

}  // namespace tutti::capacity
