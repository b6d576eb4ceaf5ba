// Where the members of a group can be that share a resource claim: within reach of its devices.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"

namespace tutti::core {

// Sets of nodes inside `within` (null: all), one of which holds every placement of these pods: from
// the nodes of each, one device can be used that the first claim they all share might be given. In
// published order. Nothing when they share no claim that is still to be allocated.
std::optional<std::vector<Bitset>> places_of_shared_claim(const Cluster& cluster,
                                                          std::span<const PodId> pods,
                                                          const Bitset* within);

}  // namespace tutti::core
