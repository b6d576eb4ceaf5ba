// JointSearch: devices for what a pod wants together with every grant that may still move, so that
// one pod's devices never stand in another's way when both could be served.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/claims/confined_pods.h"
#include "devices/claims/device_tables.h"
#include "devices/decisions/claim_reach.h"
#include "devices/decisions/movable_grants.h"

namespace tutti::devices {

class JointSearch {
 public:
  // All must outlive it.
  JointSearch(DeviceTables& tables, const ConfinedPods& confined, const MovableGrants& movable,
              ClaimReach& reach, Allocator& allocator)
      : tables_(tables),
        confined_(confined),
        movable_(movable),
        reach_(reach),
        allocator_(allocator) {}

  // Poses what one more pod wants and was not granted yet.
  Problem problem_of(const Wanted& wanted, NodeIndex node) const;
  // Found: the grants are taken, the wanted ones' first, then those of `moved`. Without any of
  // those there is nothing to add to the answer for what is wanted alone.
  Solution solve(NodeIndex node, std::span<const Wanted> wanted, std::vector<ClaimId>& moved,
                 Allocator::Order order, std::span<const AttributeId> domains);
  // Takes again what the claims were granted before a solution that is not wanted.
  void put_back(std::span<const ClaimId> claims);

 private:
  // Adds the claims whose grants may be chosen anew together with these for a pod on the node.
  // False: there are more than can be looked at.
  bool gather(NodeIndex node, std::vector<ClaimId>& claims, bool wide);
  void add_movable_at(NodeIndex node, std::vector<ClaimId>& claims) const;
  // Poses a granted claim anew; `wanted` by one more pod, on this node, if not null.
  Problem problem_of(ClaimId id, const Wanted* wanted, NodeIndex node) const;
  void lift(std::span<const ClaimId> claims);

  DeviceTables& tables_;
  const ConfinedPods& confined_;
  const MovableGrants& movable_;
  ClaimReach& reach_;
  Allocator& allocator_;
};

}  // namespace tutti::devices
