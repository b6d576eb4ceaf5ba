// ClaimQuestions: what the claims of pods come to: which there are, whether the pod may use them,
// and what is still to be found for it.
#pragma once

#include "base/std.h"
#include "devices/claims/claim_groups.h"
#include "devices/claims/confined_pods.h"
#include "devices/claims/device_tables.h"

namespace tutti::devices {

class ClaimQuestions {
 public:
  // All must outlive it.
  ClaimQuestions(DeviceTables& tables, const ClaimGroups& groups, const ConfinedPods& confined)
      : tables_(tables), groups_(groups), confined_(confined) {}

  PodClaims claims_of(const model::Pod& pod) const;
  // The claim for the extended resources of the pod, made or still to be made; invalid: none.
  ClaimId extended_claim_of(const model::Pod& pod) const {
    return tables_.claims.find_extended(pod.meta.uid);
  }
  // Which containers use which requests of a claim that was granted for extended resources.
  std::vector<model::ExtendedRequest> uses_of(ClaimId id) const;
  // What is wanted on the node: needs for extended resources become a claim of its own, or nothing.
  // What has nothing of the kind stays as it is.
  std::vector<Wanted> wanted_at(NodeIndex node, std::span<const Wanted> wanted) const;
  // What a claim comes to where nothing is advertised.
  const ClaimPlan& plan_of(const Wanted& wanted) const;
  // The devices that claims of the pod have, those on offer, looking on not counted.
  std::vector<DeviceId> devices_of(const model::Pod& pod) const;
  // The claims to which devices of this very node are allocated. Looks at all claims.
  std::vector<const Claim*> allocated_on(NodeIndex node) const;

 private:
  // Why the pod may not use the claim; empty: it may.
  std::string refusal(const model::Pod& pod, const model::ClaimReference& entry,
                      const Claim& claim) const;
  // Why nobody new can use what the claim was given; empty: they can.
  std::string evicting_taint(const Claim& claim) const;
  void add_extended(const model::Pod& pod, PodClaims& result) const;

  DeviceTables& tables_;
  const ClaimGroups& groups_;
  const ConfinedPods& confined_;
};

}  // namespace tutti::devices
