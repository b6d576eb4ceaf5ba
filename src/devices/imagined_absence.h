// ImaginedAbsence: what would be free if consumers of claims were gone.
//
// Allocated claims that only absent pods and groups use give their devices back meanwhile. Nothing
// may be observed in between.
#pragma once

#include "base/std.h"
#include "devices/claims/claim_groups.h"
#include "devices/claims/device_tables.h"
#include "model/pod.h"

namespace tutti::devices {

class ImaginedAbsence {
 public:
  // Both must outlive it.
  ImaginedAbsence(DeviceTables& tables, const ClaimGroups& groups)
      : tables_(tables), groups_(groups) {}

  // From now on the pod is imagined to be gone; or to be back.
  void begin(const model::Pod& pod);
  void end(const model::Pod& pod);
  // Nobody of the group is imagined to be on a node; or again as before. The claims whose devices
  // came free, or are held again.
  std::vector<ClaimId> begin_of_group(std::string_view ns, std::string_view name);
  std::vector<ClaimId> end_of_group(std::string_view ns, std::string_view name);

 private:
  // The claims that the pod itself, not its group, is a consumer of.
  std::vector<ClaimId> used_by(const model::Pod& pod) const;
  // One more consumer of the claim is imagined to be gone, or one less. True: its devices came
  // free, or are held again.
  bool lose_consumer(Claim& claim);
  bool regain_consumer(Claim& claim);

  DeviceTables& tables_;
  const ClaimGroups& groups_;
};

}  // namespace tutti::devices
