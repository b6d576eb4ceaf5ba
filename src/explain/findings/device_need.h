// The numbers behind verdicts about devices: what the claims of the waiting pods ask for, and what
// became of every device of that class.
//
//   requests that ask for the same kind of devices ──> one sum, over claims and pods
//   of these sums, the one that is hardest to serve ─> the DeviceNeed
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/attempt.h"
#include "devices/device_capacity.h"
#include "explain/findings/demand.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// One kind of devices that would do. A request usually has one, `firstAvailable` several.
struct DeviceKind {
  const devices::WishPlan* wish = nullptr;
  std::size_t each = 0;    // devices for one pod; of `All`, those of the nearest node
  std::size_t need = 0;    // for all the pods together
  devices::Tally counts;   // over the whole cluster
  std::size_t usable = 0;  // free on nodes that the pods could use but for devices
  std::size_t most = 0;    // of them on one node
  std::size_t served = 0;  // pods for which the nodes have that many each
  core::NodeId nearest;    // of `All`: the node that lacks the fewest of its own

  bool short_in_total() const { return usable < need; }
};

struct DeviceNeed {
  const devices::ClaimPlan* plan = nullptr;
  std::vector<DeviceKind> kinds;  // in order of preference
  std::size_t best = 0;           // of kinds, the one that is nearest to being served
  std::size_t pods = 0;
  std::size_t claims = 0;      // from which the sum comes,
  std::size_t claim_size = 0;  // so many devices each; 0: they differ

  const DeviceKind& kind() const { return kinds[best]; }
  // Why nothing can be given whatever the devices are; empty: it could.
  const std::string& problem() const { return plan->problem; }
  // Enough are free where the pods could go, but not enough of them on one node.
  bool fragmented() const;
};

// What the culprit's open claims are shortest of, summed over all that wait. None when its claims
// are allocated, or say nothing that could be counted.
std::optional<DeviceNeed> device_need(const core::Cluster& cluster, const Demand& demand,
                                      core::PodId culprit);

// deviceHealth when repairs would do and nobody has any of the devices, or as many nodes lack only
// healthy ones as have them in use; fragmentation, or devices. The diagnosis may be null, and may
// say nothing of devices.
Blocker device_blocker(const core::Diagnosis* diagnosis, const std::optional<DeviceNeed>& need);

// Why the pod waits for a claim that is not there yet; empty: it does not.
std::string missing_claim(const core::Cluster& cluster, core::PodId pod);
// The template from which the first claim that is missing is to be made; empty: none is.
std::string missing_template(const core::Cluster& cluster, core::PodId pod);

}  // namespace tutti::explain
