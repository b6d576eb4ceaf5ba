// What waits, as the solvers of a twin take it.
#pragma once

#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/waiting.h"
#include "core/placement/task.h"
#include "core/queue/queue.h"

namespace tutti::capacity {

// Its groups with the members that wait, in the twin; a lone pod stands for itself.
core::Subtree tree_of(const ClusterCopy& twin, const Waiting& waiting);
// Requires that somebody waits.
const core::Profile& profile_of(const ClusterCopy& twin, const Waiting& waiting);
// Makes the entity that the queue would hand to an attempt, with this priority.
core::Entity entity_of(const ClusterCopy& twin, const Waiting& waiting, std::int32_t priority);

// Whether it was tried and only lacks room: more, or less in use, may let it run.
bool lacks_room(const Waiting& waiting);

}  // namespace tutti::capacity
