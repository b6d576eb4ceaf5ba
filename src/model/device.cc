#include "model/device.h"

#include <algorithm>

namespace tutti::model {

const std::string* claim_name_of(const ClaimReference& entry,
                                 const std::vector<ClaimStatus>& recorded) {
  if (!entry.claim_name.empty()) return &entry.claim_name;
  const auto status = std::ranges::find(recorded, entry.name, &ClaimStatus::name);
  return status != recorded.end() ? &status->claim_name : nullptr;
}

const OwnerReference* extended_owner(const ResourceClaim& claim) {
  const std::string* marked = find(claim.meta.annotations, kExtendedClaim);
  if (marked == nullptr || *marked != "true") return nullptr;
  const auto pod = std::ranges::find_if(claim.meta.owners, [](const OwnerReference& owner) {
    return owner.kind == "Pod" && owner.controller;
  });
  return pod == claim.meta.owners.end() ? nullptr : &*pod;
}

}  // namespace tutti::model
