// Units: which part of a tree of groups waits, and how far it is from running.
//
// A tree below its minimum is tried as one. Above it, each child that is below its own minimum
// comes as one, and members beyond a gang's minimum come one by one:
//
//   set (as many as fit) ─┬─ replica 0: 4 of 4 run
//                         └─ replica 1: 0 of 4 run    <- the unit that waits
#pragma once

#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/framework/attempt.h"
#include "core/shapes/ids.h"

namespace tutti::explain {

// The unit that `group` waits in, or that waits in it. Where several wait in it: the first that is
// complete and below its minimum, or else the first. Trees with a missing parent or a cycle are
// their own unit.
core::GroupId waiting_unit(const core::GroupTable& groups, core::GroupId group);

// What a unit is worth: the minimum of a gang, one pod of a basic group, and of a composite what
// those of its children are worth that are nearest to running.
struct Strength {
  std::size_t required = 0;  // pods
  std::size_t missing = 0;   // of them, pods without a node
};
Strength strength_of(const core::GroupTable& groups, core::GroupId unit);

// What the attempt at a whole tree says of one unit of it: `placed` counts those that fit among the
// members that strength_of() requires. Requires an attempt with leaves.
core::Attempt part_of_attempt(const core::Attempt& attempt, const core::GroupTable& groups,
                              core::GroupId unit);

// How many of the children of a composite have what they need.
std::size_t standing_children(const core::GroupTable& groups, core::GroupId composite);

// The topology key that keeps the unit in one domain: its own, or that of the nearest group above.
const std::string& topology_key_of(const core::GroupTable& groups, core::GroupId unit);

}  // namespace tutti::explain
