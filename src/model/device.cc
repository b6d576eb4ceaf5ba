#include "model/device.h"

#include <algorithm>

namespace tutti::model {

const std::string* claim_name_of(const ClaimReference& entry,
                                 const std::vector<ClaimStatus>& recorded) {
  if (!entry.claim_name.empty()) return &entry.claim_name;
  const auto status = std::ranges::find(recorded, entry.name, &ClaimStatus::name);
  return status != recorded.end() ? &status->claim_name : nullptr;
}

}  // namespace tutti::model
