// Whether the members of a group may be tried together at all.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/queue/queue.h"

namespace tutti::core {

// Why not, or empty: members, waiting and running, must name one scheduler and, except under
// v1alpha2, have their root group's priority and preemption policy.
std::string disagreement(const Cluster& cluster, const GroupTable& groups, const Entity& entity);

}  // namespace tutti::core
