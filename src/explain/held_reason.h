// HeldReason: why a pod or group is not even tried. Read from the tables alone: missing groups, too
// few members, closed gates.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/shapes/ids.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// Members of a group that the scheduler does not keep: they have ended, or wait for another one.
struct Absent {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  std::size_t foreign = 0;
  std::string scheduler;  // of one of the foreign pods
  std::size_t ended() const { return succeeded + failed; }
};
// Asked about PodGroups. An empty function knows of none.
using AbsentOf = std::function<Absent(const core::Group&)>;

struct HeldReason {
  State state = State::held;  // or invalid: parents that form a cycle or too deep a tree
  Blocker blocker = Blocker::incomplete;
  std::string summary;
  std::vector<Amount> need;
  std::vector<Amount> have;
};

// Says what holds a group, with everything above and below it that is tried together with it: first
// the missing objects, then gates, then quorum.
std::optional<HeldReason> find_held_reason(const core::Cluster& cluster,
                                           const core::GroupTable& groups, core::GroupId group,
                                           const AbsentOf& absent = {});
// Says what holds a pod by itself: its gates.
std::optional<HeldReason> find_held_reason(const core::Cluster& cluster, core::PodId pod);

}  // namespace tutti::explain
