// What would be free if consumers of claims were gone.
#include <algorithm>

#include "base/check.h"
#include "devices/device_state.h"

namespace tutti::devices {
namespace {

bool is_user(const Claim& claim, const model::Pod& pod) {
  return claim.object != nullptr &&
         std::ranges::find(claim.object->reserved_for, pod.meta.uid,
                           &model::ConsumerReference::uid) != claim.object->reserved_for.end();
}

}  // namespace

// The claims that the pod itself, not its group, is a consumer of.
std::vector<ClaimId> DeviceState::used_by(const model::Pod& pod) const {
  std::vector<ClaimId> used;
  if (claims_.empty()) return used;  // spares a look at the pod, which is far away in memory
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr) continue;
    const ClaimId id = find_claim(pod.meta.ns, *name);
    if (!id.valid() || !is_user(claims_[id.index], pod)) continue;
    if (std::ranges::find(used, id) == used.end()) used.push_back(id);
  }
  const ClaimId extended = extended_claim_of(pod);
  if (extended.valid() && is_user(claims_[extended.index], pod)) used.push_back(extended);
  return used;
}

bool DeviceState::lose_consumer(Claim& claim) {
  ++claim.imagined_gone;
  if (!claim.deserted()) return false;
  for (const Hold& hold : claim.observed) {
    ledger_.give_back(hold);
    touch(hold.device);
  }
  return true;
}

bool DeviceState::regain_consumer(Claim& claim) {
  const bool was_deserted = claim.deserted();
  TUTTI_CHECK(claim.imagined_gone > 0, "a consumer comes back that never went");
  --claim.imagined_gone;
  if (!was_deserted) return false;
  for (const Hold& hold : claim.observed) {
    ledger_.take(hold);
    touch(hold.device);
  }
  return true;
}

void DeviceState::imagine_gone(const model::Pod& pod) {
  for (const ClaimId id : used_by(pod)) lose_consumer(claims_[id.index]);
}

void DeviceState::imagine_back(const model::Pod& pod) {
  for (const ClaimId id : used_by(pod)) regain_consumer(claims_[id.index]);
}

}  // namespace tutti::devices
