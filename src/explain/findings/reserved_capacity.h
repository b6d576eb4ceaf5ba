// Kept room: what looks free and is not, because someone more important made it
// (core/preemption/reservations.h) and
// has not moved in yet.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

// Whether the missing members would fit now if no room was kept for others. Said only of members
// that are alike: of them counting is exact.
bool only_kept_away(const core::Cluster& cluster, const Demand& demand);

// Someone for whom room is kept.
struct Reserver {
  std::string name;  // "Pod t/a", "PodGroup t/g"
  std::int32_t priority = 0;
  std::int64_t amount = 0;  // of the resource
  bool operator==(const Reserver&) const = default;
};
// Returns, in the words of work_name.h, whose pods keep some of the resource on the nodes, most
// first, then by name.
std::vector<Reserver> keepers(const core::Cluster& cluster, const core::GroupTable* groups,
                              const Bitset& nodes, core::ResourceId resource);

}  // namespace tutti::explain
