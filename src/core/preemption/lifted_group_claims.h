// LiftedGroupClaims: the claims of groups while pods are taken out of the picture. A group of
// which we
// evict somebody gives its claims back once nobody of it is left (group_claim_release.h), so their
// devices
// count as free as soon as its last pod on a node is away.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "devices/inventory/ids.h"

namespace tutti::core {

class LiftedGroupClaims {
 public:
  LiftedGroupClaims(Cluster& cluster, const GroupTable& groups)
      : cluster_(cluster), groups_(groups) {}

  // Each to be called before the cluster lifts the pod or puts it back, so that whoever follows the
  // journal sees what became of the devices. `evicted`: because of us, not by itself.
  void lift(PodId pod, bool evicted);
  void put_back(PodId pod, bool evicted);

 private:
  struct Count {
    std::size_t left = 0;     // on nodes
    std::size_t evicted = 0;  // of those that are away
    bool vacated() const { return left == 0 && evicted > 0; }
  };
  // The pod's group; invalid: it has none with claims.
  GroupId leaf_of(PodId pod) const;
  Count& count_of(GroupId leaf);
  void look_again(PodId pod, std::span<const devices::ClaimId> changed);

  Cluster& cluster_;
  const GroupTable& groups_;
  std::unordered_map<GroupId, Count> counts_;
};

}  // namespace tutti::core
