// BlockerChoice: state and blocker of a pod or group that was tried and did not fit.
//
// In this order, the first that holds:
//
//   its binding failed                                               Waiting     incomplete
//   the attempt ended in another error                               Invalid     badRequest
//   a member that must take part is larger than every node, or the
//     members together larger than all nodes, even when empty        Impossible  badRequest
//   the empty nodes are large enough in total, not in shape          Impossible  fragmentation
//     either of them, but not if all their devices were well         Waiting     deviceHealth
//   the same of devices that claims ask for (device_limits.h)        Impossible  badRequest, …
//   members that need each other are larger than any domain that
//     they must share, even when empty (company.h)                   Impossible  affinity
//   the search budget ended                                          Waiting     budget
//   no topology domain could hold it, or one of its slices, or all
//     domains too few of them, even when empty                       Impossible  topology
//   it would fit but for staying in one domain                       Waiting     topology
//   the dominant plugin (blocker.h) is about resources
//     and the usable nodes' free total is less than what is missing  Waiting     capacity
//     ... or suffices, but not in the needed shape                   Waiting     fragmentation
//   it is about devices, of which enough are free, too few on one
//     node                                                           Waiting     fragmentation
//   every domain has pods with which it must not share one           Waiting     topology
//   the dominant plugin is another                                   Waiting     that plugin's
//
// and where that is Waiting for resources or a domain, while room that is kept for others would do:
//
//   someone more important made room and has not moved in yet        Waiting     priority
//
// A selector that matches no node is Waiting, not Impossible: nodes get labels and lose taints
// while the cluster runs, but they do not grow, and racks stay where they are.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/attempt.h"
#include "explain/findings/blocker.h"
#include "explain/findings/company.h"
#include "explain/findings/demand.h"
#include "explain/findings/device_limits.h"
#include "explain/findings/device_need.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

struct BlockerChoice {
  State state = State::waiting;
  Blocker blocker = Blocker::none;
  Rejection rejection = {};  // the dominant one; its plugin is empty when none was needed
  std::optional<Balance> balance = {};     // set when resources are the matter
  std::optional<DeviceNeed> devices = {};  // set when devices are
  core::PodId culprit = {};                // one of the members that found no node
  bool too_large = false;  // the culprit is larger than every node; the balance is then one pod's
  Room room = Room::free;  // what the balance counted
  std::optional<Demand> part = {};  // set when it speaks of some of several kinds of members only
  bool slices_too_large = false;    // too few of them would fit even empty nodes
  // Set when claims ask for more devices than empty nodes could give.
  std::optional<DeviceLimit> device_limit = {};
  // Every domain of the key has pods that it must not share one with: "exclusive Jobs".
  std::string_view exclusive_of = {};
  std::string_view exclusive_key = {};
  std::string_view only_node = {};      // that the culprit is for, as a DaemonSet's pod
  std::optional<Company> company = {};  // set when members that need each other are too large
};

// What the attempt said of pods like this one, else of the first it had reasons for; null when of
// none.
const core::ClassReport* report_on(const core::Attempt& attempt, const core::Cluster& cluster,
                                   core::PodId pod);

// Requires a demand with at least one waiting pod.
BlockerChoice classify(const core::Attempt& attempt, const core::Cluster& cluster,
                       const Demand& demand);

}  // namespace tutti::explain
