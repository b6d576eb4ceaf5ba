// ClaimReach: from where the devices can be used that a claim has, or might be given.
#pragma once

#include "base/std.h"
#include "devices/claims/confined_pods.h"
#include "devices/claims/device_tables.h"

namespace tutti::devices {

class ClaimReach {
 public:
  // Both must outlive it.
  ClaimReach(DeviceTables& tables, const ConfinedPods& confined)
      : tables_(tables), confined_(confined) {}

  // Whether the devices of a granted claim can be used from the node, too.
  bool usable(const Claim& claim, NodeIndex node, ConfinementId confinement) const;
  // Whether devices exist, in use or not, that would serve the claim's holders and this node alike.
  bool could_reach(const Claim& claim, NodeIndex node);
  // Whether some device that several nodes can use would do for a request.
  bool may_go_wide(const ClaimPlan& plan);
  // From where the devices can be used that the claim's first request might be given, each once.
  // Whoever uses the claim is within one of them.
  std::vector<ReachId> reaches_of(ClaimId id);

 private:
  bool wants(const WishPlan& wish, DeviceId device);

  DeviceTables& tables_;
  const ConfinedPods& confined_;
};

}  // namespace tutti::devices
