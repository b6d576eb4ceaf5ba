// DeviceState: all that is known about devices and claims, and the decisions about them that the
// cluster does not show yet. The door to its parts, each of which keeps what it alone needs:
//
//   observed objects ──> DeviceObserver ──┐                     ┌──> ClaimQuestions, DeviceSearch
//                                         ├──> DeviceTables ────┤
//   reserve() ──> ClaimDecisions ─────────┘    (claims, use)    └──> ImaginedAbsence: what if
//
//   claims:  open ──> granted, which may still move ──> fixed ──> allocated
//
// One pod's devices never stand in another's way when both could be served: as long as a grant was
// not handed to the cluster it may be chosen anew.
#pragma once

#include <set>

#include "base/std.h"
#include "devices/claims/claim_classes.h"
#include "devices/claims/claim_groups.h"
#include "devices/claims/claim_questions.h"
#include "devices/claims/confined_pods.h"
#include "devices/claims/device_tables.h"
#include "devices/decisions/claim_decisions.h"
#include "devices/decisions/claim_reach.h"
#include "devices/decisions/device_search.h"
#include "devices/decisions/movable_grants.h"
#include "devices/device_observer.h"
#include "devices/imagined_absence.h"

namespace tutti::devices {

class DeviceState {
 public:
  explicit DeviceState(const Places& places);
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  // --- observation -------------------------------------------------------------------------------
  // Other kinds are ignored.
  News set(const model::ObjectPtr& object) { return observer_.set(object); }
  News remove(const model::Object& object) { return observer_.remove(object); }
  // Reaches whose devices came, changed or went since the last call.
  std::set<ReachId> take_changed_reaches() { return tables_.inventory.take_changed_reaches(); }

  // --- parts -------------------------------------------------------------------------------------
  const ClaimQuestions& questions() const { return questions_; }
  ClaimGroups& groups() { return groups_; }
  const ClaimGroups& groups() const { return groups_; }
  ConfinedPods& confined_pods() { return confined_; }
  ClaimReach& reach() { return reach_; }
  DeviceSearch& search() { return search_; }
  const DeviceSearch& search() const { return search_; }
  ClaimDecisions& decisions() { return decisions_; }
  const ClaimDecisions& decisions() const { return decisions_; }
  ImaginedAbsence& imagined_absence() { return absence_; }

  // --- what everybody asks -----------------------------------------------------------------------
  PodClaims claims_of(const model::Pod& pod) const { return questions_.claims_of(pod); }
  // Pods whose claims ask for the same have equal keys.
  std::uint32_t class_of(const model::Pod& pod) { return classes_.class_of(claims_of(pod)); }
  // Rises whenever class_of() may answer anew.
  std::uint64_t claims_version() const { return tables_.claims.version(); }
  const Claim& claim(ClaimId id) const { return tables_.claims[id]; }
  // Invalid: none.
  ClaimId find_claim(std::string_view ns, std::string_view name) const {
    return tables_.claims.find(ns, name);
  }
  // Whether nothing was ever published or claimed.
  bool empty() const { return tables_.claims.empty() && tables_.inventory.pool_count() == 0; }

  // --- tables ------------------------------------------------------------------------------------
  const Inventory& inventory() const { return tables_.inventory; }
  const PlanTable& plans() const { return tables_.plans; }
  const Ledger& ledger() const { return tables_.use.ledger(); }
  // What devices of several nodes have in common, and whether any of them is in use.
  InterconnectTable& spans() { return tables_.use.spans(); }
  SelectorTable& selectors() { return tables_.selectors; }
  AttributeTable& attributes() { return tables_.attributes; }
  ConfinementTable& confinements() { return confined_.table(); }
  const Places& places() const { return tables_.places; }

  // --- carrying out ------------------------------------------------------------------------------
  // What is to be released since the last call.
  std::vector<Release> take_releases() { return std::exchange(tables_.releases, {}); }

  // Rebuilds the ledger from the claims and compares; empty when all agree.
  std::string check() const;

 private:
  DeviceTables tables_;
  ConfinedPods confined_;
  ClaimGroups groups_;
  ClaimQuestions questions_;
  ClaimClasses classes_;
  MovableGrants movable_;
  ClaimReach reach_;
  DeviceSearch search_;
  ClaimDecisions decisions_;
  ImaginedAbsence absence_;
  DeviceObserver observer_;
};

}  // namespace tutti::devices
