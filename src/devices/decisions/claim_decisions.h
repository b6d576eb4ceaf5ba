// ClaimDecisions: grants of claims that the cluster does not show yet: made, taken back, carried
// out.
//
//   claim:  open ──reserve()──> granted ──written()──> granted, fixed ──observed──> allocated
//            ^──unreserve() of the last pod──┴─────────────────┘
//
// A claim is granted for the pods that were placed because of it, its holders. As long as a grant
// was not handed to the cluster it may be chosen anew for the sake of another pod. unreserve() in
// reverse order of reserve() restores every grant exactly.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "devices/claims/claim_groups.h"
#include "devices/claims/claim_questions.h"
#include "devices/claims/device_tables.h"
#include "devices/decisions/device_search.h"
#include "devices/decisions/movable_grants.h"

namespace tutti::devices {

class ClaimDecisions {
 public:
  // All must outlive it.
  ClaimDecisions(DeviceTables& tables, const ClaimGroups& groups, const ClaimQuestions& questions,
                 MovableGrants& movable, DeviceSearch& search)
      : tables_(tables),
        groups_(groups),
        questions_(questions),
        movable_(movable),
        search_(search) {}

  // The pod goes to the node: grants its claims, with one for its extended resources where it needs
  // one there. Anything but found changes nothing. `domains` and `known` as for
  // DeviceSearch::choose().
  Solution reserve(PodIndex pod, NodeIndex node, const model::Pod& object,
                   std::span<const std::string> domains = {}, const Prospect* known = nullptr);
  Solution reserve(PodIndex pod, NodeIndex node, std::span<const ClaimId> claims,
                   std::span<const std::string> domains = {}, ConfinementId confinement = {},
                   const Prospect* known = nullptr);
  // The decision is taken back. Claims that were written for it and that nobody else holds are to
  // be released; see DeviceState::take_releases().
  void unreserve(PodIndex pod, const model::Pod& object);
  // The decision was carried out: its grants stand, and the pod stays their holder.
  void settle(PodIndex pod);
  // The pod is gone; what was reserved for it is for others to release.
  void forget(PodIndex pod);

  // Whether all that the grant rests on is still there: the classes of its plan, and its devices.
  // Drivers and administrators may have taken them away since.
  bool stands(ClaimId id) const;
  // The allocation to be written for a granted claim whose grant stands.
  model::Allocation allocation(ClaimId id, std::string_view node) const;
  // Notes that the allocation was handed to the cluster.
  void written(ClaimId id);

 private:
  struct Change {
    ClaimId claim;
    bool granted = false;
    Grant grant;
  };
  struct Entry {
    PodIndex pod;
    std::vector<Change> before;  // of every claim whose grant changed
  };

  ClaimId open_extended(const model::Pod& pod, NodeIndex node);
  void name_users(PodIndex pod, const model::Pod& object);
  void grant(ClaimId id, const Grant& grant, Entry& entry);
  void restore(const Entry& entry);
  void drop_holder(ClaimId id, PodIndex pod);
  void note_release(ClaimId id, const model::Pod& pod);
  // Claims that were written for the pod or its group, with the consumer of each.
  std::vector<Release> written_for(ClaimId id, const model::Pod& pod) const;

  DeviceTables& tables_;
  const ClaimGroups& groups_;
  const ClaimQuestions& questions_;
  MovableGrants& movable_;
  DeviceSearch& search_;
  std::vector<Entry> journal_;  // reserved and neither taken back nor settled, oldest first
  std::unordered_map<PodIndex, std::vector<ClaimId>> held_by_;
};

}  // namespace tutti::devices
