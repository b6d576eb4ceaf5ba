#include "devices/imagined_absence.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace tutti::devices {
namespace {

bool is_user(const Claim& claim, const model::Pod& pod) {
  return claim.object != nullptr &&
         std::ranges::find(claim.object->reserved_for, pod.meta.uid,
                           &model::ConsumerReference::uid) != claim.object->reserved_for.end();
}

}  // namespace

std::vector<ClaimId> ImaginedAbsence::used_by(const model::Pod& pod) const {
  std::vector<ClaimId> used;
  if (tables_.claims.empty()) return used;  // spares a look at the pod, which is far away in memory
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr) continue;
    const ClaimId id = tables_.claims.find(pod.meta.ns, *name);
    if (!id.valid() || !is_user(tables_.claims[id], pod)) continue;
    if (std::ranges::find(used, id) == used.end()) used.push_back(id);
  }
  const ClaimId extended = tables_.claims.find_extended(pod.meta.uid);
  if (extended.valid() && is_user(tables_.claims[extended], pod)) used.push_back(extended);
  return used;
}

bool ImaginedAbsence::lose_consumer(Claim& claim) {
  TUTTI_CHECK(claim.object != nullptr && claim.imagined_gone < claim.object->reserved_for.size(),
              "more users go than there are");
  ++claim.imagined_gone;
  if (!claim.deserted()) return false;
  for (const Hold& hold : claim.observed) {
    tables_.use.ledger().give_back(hold);
    tables_.use.touch(hold.device);
  }
  return true;
}

bool ImaginedAbsence::regain_consumer(Claim& claim) {
  const bool was_deserted = claim.deserted();
  TUTTI_CHECK(claim.imagined_gone > 0, "a consumer comes back that never went");
  --claim.imagined_gone;
  if (!was_deserted) return false;
  for (const Hold& hold : claim.observed) {
    tables_.use.ledger().take(hold);
    tables_.use.touch(hold.device);
  }
  return true;
}

void ImaginedAbsence::begin(const model::Pod& pod) {
  for (const ClaimId id : used_by(pod)) lose_consumer(tables_.claims[id]);
}

void ImaginedAbsence::end(const model::Pod& pod) {
  for (const ClaimId id : used_by(pod)) regain_consumer(tables_.claims[id]);
}

std::vector<ClaimId> ImaginedAbsence::begin_of_group(std::string_view ns, std::string_view name) {
  std::vector<ClaimId> freed;
  std::ranges::copy_if(groups_.reserved_for(ns, name), std::back_inserter(freed),
                       [&](ClaimId id) { return lose_consumer(tables_.claims[id]); });
  return freed;
}

std::vector<ClaimId> ImaginedAbsence::end_of_group(std::string_view ns, std::string_view name) {
  std::vector<ClaimId> taken;
  std::ranges::copy_if(groups_.reserved_for(ns, name), std::back_inserter(taken),
                       [&](ClaimId id) { return regain_consumer(tables_.claims[id]); });
  return taken;
}

}  // namespace tutti::devices
