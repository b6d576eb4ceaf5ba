// ConfinedPods: which pods may only be granted devices within bounds, for the time being.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "devices/claims/claim.h"
#include "devices/claims/device_tables.h"
#include "devices/inventory/confinement.h"
#include "model/pod.h"

namespace tutti::devices {

class ConfinedPods {
 public:
  // The tables must outlive it.
  explicit ConfinedPods(const DeviceTables& tables) : tables_(tables) {}

  ConfinementTable& table() { return table_; }
  // What the pod is confined to; invalid: nothing.
  ConfinementId confinement_of(const model::Pod& pod) const;
  // From now on the pod's claims may only be granted devices within these bounds; what is granted
  // so far stays as it is. Invalid: any.
  void confine(const model::Pod& pod, ConfinementId to);
  // Returns the bounds that devices, not labels, must keep to on the node.
  Bounds bounds_at(ConfinementId id, NodeIndex node) const;
  // Whether devices that the claim has already, if any, lie within these bounds.
  bool stays_within(const Claim& claim, const Bounds& bounds) const;

 private:
  const DeviceTables& tables_;
  ConfinementTable table_;
  std::unordered_map<std::string, ConfinementId> confined_;  // by uid of the pod
};

}  // namespace tutti::devices
