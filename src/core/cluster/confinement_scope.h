// Confined: keeps pods in a domain by the devices they may be given, as long as it lives.
//
// A node that is in several domains of a key holds members of each; which one a member is in is
// decided by its devices. A pod that is confined is of a class of its own, so that whatever is
// known about nodes is known for that domain; what it is granted meanwhile stays there when the
// devices are chosen anew for somebody else's sake. Scopes nest: the inner domain lies in the outer
// one.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "devices/inventory/ids.h"

namespace tutti::core {

class ConfinementScope {
 public:
  // The cluster must outlive it. An invalid confinement changes nothing.
  ConfinementScope(const Cluster& cluster, std::span<const PodId> pods, devices::ConfinementId to);
  ConfinementScope(const ConfinementScope&) = delete;
  ConfinementScope& operator=(const ConfinementScope&) = delete;
  ~ConfinementScope();

 private:
  const Cluster& cluster_;
  std::vector<std::pair<PodId, devices::ConfinementId>> before_;
};

}  // namespace tutti::core
