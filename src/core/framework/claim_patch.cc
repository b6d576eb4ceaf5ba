#include "core/framework/claim_patch.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

bool has_user(const model::ResourceClaim& claim, const std::string& uid) {
  return std::ranges::find(claim.reserved_for, uid, &model::ConsumerReference::uid) !=
         claim.reserved_for.end();
}

void release(model::ResourceClaim& claim, const std::string& uid) {
  std::erase_if(claim.reserved_for, [&](const auto& consumer) { return consumer.uid == uid; });
  if (!claim.reserved_for.empty()) return;
  claim.allocation.reset();
  claim.device_statuses.clear();
  std::erase(claim.meta.finalizers.edit(), model::kClaimFinalizer);
}

}  // namespace

bool allows(const model::ResourceClaim& claim, const ClaimPatch& patch) {
  const bool adds = patch.allocation.has_value() || patch.reserve_for.has_value();
  if (patch.remove) return true;
  if (!adds) return has_user(claim, patch.release) || claim.allocation.has_value();
  if (claim.meta.deletion) return false;
  return claim.allocation.has_value() != patch.allocation.has_value();
}

void apply(model::ResourceClaim& claim, const ClaimPatch& patch, Instant now) {
  TUTTI_CHECK(allows(claim, patch), "the state of the claim forbids it");
  if (!patch.release.empty()) release(claim, patch.release);
  if (patch.allocation) {
    claim.allocation = patch.allocation;
    claim.allocation->timestamp = now;
    auto& finalizers = claim.meta.finalizers;
    if (std::ranges::find(finalizers, model::kClaimFinalizer) == finalizers.end()) {
      finalizers.push_back(std::string(model::kClaimFinalizer));
    }
  }
  if (patch.reserve_for && !has_user(claim, patch.reserve_for->uid)) {
    claim.reserved_for.push_back(*patch.reserve_for);
  }
}

}  // namespace tutti::core
