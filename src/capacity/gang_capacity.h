// How large a gang of one shape may be to fit now, in the cluster and in one domain of each key.
//
// Pods that only compete for resources are counted, as the scheduler counts them. Others are tried
// with the scheduler's solver: the largest gang that it places, up to kTriedMost.
#pragma once

#include "base/std.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/imagined_gang.h"
#include "capacity/copy/levels.h"
#include "capacity/copy/refusals.h"

namespace tutti::capacity {

inline constexpr std::size_t kTriedMost = 512;
inline constexpr std::size_t kDomainsShown = 20;

struct DomainCapacity {
  std::string value;
  std::size_t gang = 0;
};

struct LevelCapacity {
  std::string key;       // empty: the whole cluster
  std::size_t gang = 0;  // the largest that fits in one domain
  bool exact = true;     // false: a larger one may fit
  std::string domain;    // where; empty for the cluster, and when nothing fits
  // Where shapes are counted, the best domains that hold any, largest first, then by name; at most
  // kDomainsShown.
  std::vector<DomainCapacity> domains;
};

// In the order of `levels`, whose keys some node has.
std::vector<LevelCapacity> room_by_level(ClusterCopy& twin, ImaginedGang& troupe,
                                         std::span<const Level> levels);

// How many pods the free resources would hold if they lay together, on the nodes that take such
// pods as far as anything but resources goes.
std::size_t pooled_room(const core::Cluster& cluster, const core::PodShape& shape,
                        const Refusals& refusals);

}  // namespace tutti::capacity
