// MovableGrants: the holders of claims, and by them the grants that may still be chosen anew: those
// that were not handed to the cluster.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "devices/claims/claim_table.h"

namespace tutti::devices {

class MovableGrants {
 public:
  // The claims must outlive it.
  explicit MovableGrants(ClaimTable& claims) : claims_(claims) {}

  bool any() const { return !movable_.empty(); }
  // In order of granting.
  std::span<const ClaimId> all() const { return movable_; }
  // Returns the claims that a pod on the node holds.
  std::span<const ClaimId> at(NodeIndex node) const;

  // The grant, which is about to be made, may be chosen anew from now on; or not any more.
  void add(ClaimId id);
  void remove(ClaimId id);

  void add_holder(ClaimId id, Holder holder);
  // False: the pod holds no such claim.
  bool remove_holder(ClaimId id, PodIndex pod);

 private:
  void join(NodeIndex node, ClaimId id);
  void leave(NodeIndex node, ClaimId id);

  ClaimTable& claims_;
  std::vector<ClaimId> movable_;
  std::unordered_map<NodeIndex, std::vector<ClaimId>> movable_at_;  // by node of a holder
};

}  // namespace tutti::devices
