// Hold: why a pod or group is not even tried. Read from the tables alone: missing groups, too few
// members, closed gates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/groups.h"
#include "core/ids.h"
#include "explain/verdict.h"

namespace tutti::explain {

struct Hold {
  State state = State::held;  // or invalid: parents that form a cycle or too deep a tree
  Blocker blocker = Blocker::incomplete;
  std::string summary;
  std::vector<Amount> need;
  std::vector<Amount> have;
};

// Of a group, with everything above and below it that is tried together with it: first the missing
// objects, then gates, then quorum.
std::optional<Hold> find_hold(const core::Cluster& cluster, const core::GroupTable& groups,
                              core::GroupId group);
// Of a pod by itself: its gates.
std::optional<Hold> find_hold(const core::Cluster& cluster, core::PodId pod);

}  // namespace tutti::explain
