// Vacating: groups that give back what is reserved for them, because their pods were evicted.
//
// A cluster releases a claim of a group only with the PodGroup itself: its devices stay reserved
// for a group of which nobody is left. What we evict must not keep devices, so a group of which we
// evicted somebody gives its claims back as soon as none of its pods is on a node, be it bound or
// on its way out. Until the cluster shows that they are free, nobody is placed by them.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "core/shapes/ids.h"

namespace tutti::core {

// When the release was last asked for; empty: somebody is left.
using Vacating = std::map<GroupId, std::optional<Instant>>;

}  // namespace tutti::core
