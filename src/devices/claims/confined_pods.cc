#include "devices/claims/confined_pods.h"

#include <algorithm>

namespace tutti::devices {

ConfinementId ConfinedPods::confinement_of(const model::Pod& pod) const {
  const auto at = confined_.find(pod.meta.uid);
  return at == confined_.end() ? ConfinementId{} : at->second;
}

void ConfinedPods::confine(const model::Pod& pod, ConfinementId to) {
  if (to.valid()) {
    confined_.insert_or_assign(pod.meta.uid, to);
  } else {
    confined_.erase(pod.meta.uid);
  }
}

Bounds ConfinedPods::bounds_at(ConfinementId id, NodeIndex node) const {
  Bounds bounds = table_.bounds(id);
  std::erase_if(bounds,
                [&](const Bound& bound) { return tables_.places.labelled(node, bound.attribute); });
  return bounds;
}

bool ConfinedPods::stays_within(const Claim& claim, const Bounds& bounds) const {
  if (bounds.empty()) return true;
  const auto is_within = [&](const Hold& hold) {
    return tables_.inventory.device(hold.device).device == nullptr ||
           lies_within(tables_.inventory, hold.device, bounds);
  };
  return std::ranges::all_of(claim.observed, is_within) &&
         std::ranges::all_of(claim.grant,
                             [&](const Pick& pick) { return pick.admin || is_within(pick.hold); });
}

}  // namespace tutti::devices
