#include "devices/decisions/claim_decisions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "devices/allocation/result.h"

namespace tutti::devices {

// Nobody else sees the claim until it is made, so its name may be one that no claim can have.
ClaimId ClaimDecisions::open_extended(const model::Pod& pod, NodeIndex node) {
  const ExtendedId needs = tables_.extended.find(pod.spec);
  if (!needs.valid()) return {};
  const Wanted wanted{{}, {}, needs};
  const auto here = questions_.wanted_at(node, {&wanted, 1});
  if (here.empty()) return {};
  const ClaimId id = tables_.claims.open(pod.meta.ns, "<extended-resources> " + pod.meta.uid);
  tables_.claims[id].pod_uid = pod.meta.uid;
  tables_.claims[id].needs = needs;
  tables_.claims[id].plan = here.front().plan;
  tables_.claims.set_extended(pod.meta.uid, id);
  return id;
}

Solution ClaimDecisions::reserve(PodIndex pod, NodeIndex node, const model::Pod& object,
                                 std::span<const std::string> domains, const Prospect* known) {
  PodClaims claims = questions_.claims_of(object);
  const ClaimId made = claims.extended.valid() ? open_extended(object, node) : ClaimId{};
  if (made.valid()) claims.claims.push_back(made);
  Solution solution = reserve(pod, node, claims.claims, domains, claims.confinement, known);
  if (made.valid() && !solution.found()) tables_.claims.release(made);
  if (solution.found()) name_users(pod, object);
  return solution;
}

void ClaimDecisions::name_users(PodIndex pod, const model::Pod& object) {
  for (const auto& entry : object.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, object.status.claim_statuses);
    const ClaimId id = name == nullptr ? ClaimId{} : tables_.claims.find(object.meta.ns, *name);
    if (!id.valid()) continue;
    Claim& claim = tables_.claims[id];
    const auto at = std::ranges::find(claim.holders, pod, &Holder::pod);
    if (at == claim.holders.end()) continue;
    at->user = groups_.consumer_of(object, entry).uid;
    tables_.claims.count_users(claim);
  }
}

Solution ClaimDecisions::reserve(PodIndex pod, NodeIndex node, std::span<const ClaimId> claims,
                                 std::span<const std::string> domains, ConfinementId confinement,
                                 const Prospect* known) {
  std::vector<Wanted> wanted;
  std::vector<ClaimId> changed;
  for (const ClaimId id : claims) {
    const Claim& claim = tables_.claims[id];
    if (claim.allocated()) continue;
    wanted.push_back({claim.plan, id, {}, confinement});
    if (!claim.granted) changed.push_back(id);
  }
  std::vector<ClaimId> moved;
  Solution solution = search_.choose(node, wanted, domains, known, moved);
  if (!solution.found()) return solution;

  changed.insert(changed.end(), moved.begin(), moved.end());
  TUTTI_CHECK(solution.grants.size() == changed.size(), "a grant for every claim that changes");
  Entry entry{pod, {}};
  for (std::size_t i = 0; i < changed.size(); ++i) {
    grant(changed[i], solution.grants[i], entry);
  }
  for (const ClaimId id : claims) movable_.add_holder(id, {pod, node, {}, confinement});
  held_by_[pod].assign(claims.begin(), claims.end());
  journal_.push_back(std::move(entry));
  return solution;
}

// Its devices are taken already.
void ClaimDecisions::grant(ClaimId id, const Grant& grant, Entry& entry) {
  Claim& claim = tables_.claims[id];
  entry.before.push_back({id, claim.granted, claim.grant});
  tables_.use.touch(claim.grant);
  if (!claim.granted) movable_.add(id);
  claim.granted = true;
  claim.fixed = false;
  claim.grant = grant;
  ++claim.grants;
  tables_.use.touch(claim.grant);
}

// Everything that the decision chose anew goes back to what it was, where that is still ours to
// say.
void ClaimDecisions::restore(const Entry& entry) {
  std::vector<const Change*> changes;
  for (const Change& change : entry.before) {
    if (change.granted && tables_.claims[change.claim].movable()) changes.push_back(&change);
  }
  for (const Change* change : changes) {
    tables_.use.touch(tables_.claims[change->claim].grant);
    tables_.use.give_back(tables_.claims[change->claim].grant);
  }
  for (const Change* change : changes) {
    Claim& claim = tables_.claims[change->claim];
    if (tables_.use.can_take(change->grant)) claim.grant = change->grant;
    ++claim.grants;
    tables_.use.take(claim.grant);
    tables_.use.touch(claim.grant);
  }
}

void ClaimDecisions::drop_holder(ClaimId id, PodIndex pod) {
  Claim& claim = tables_.claims[id];
  if (!movable_.remove_holder(id, pod)) return;
  tables_.claims.count_users(claim);
  if (!claim.holders.empty()) return;
  if (!claim.granted) return tables_.claims.release(id);
  tables_.use.give_back(claim.grant);
  tables_.use.touch(claim.grant);
  claim.grant.clear();
  claim.granted = false;
  ++claim.grants;
  movable_.remove(id);
  tables_.claims.release(id);
}

void ClaimDecisions::unreserve(PodIndex pod, const model::Pod& object) {
  const auto held = held_by_.extract(pod);
  if (held.empty()) return;
  for (const ClaimId id : held.mapped()) note_release(id, object);
  for (const ClaimId id : held.mapped()) drop_holder(id, pod);
  const bool last = !journal_.empty() && journal_.back().pod == pod;
  if (last) restore(journal_.back());
  settle(pod);
}

std::vector<Release> ClaimDecisions::written_for(ClaimId id, const model::Pod& pod) const {
  const Claim& claim = tables_.claims[id];
  std::vector<Release> written;
  if (claim.object == nullptr || !claim.fixed) return written;
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr || *name != claim.object->meta.name) continue;
    written.push_back({id, groups_.consumer_of(pod, entry).uid});
  }
  return written;
}

// A claim that was written for the pod, or for its group and nobody else of it, is to be released.
void ClaimDecisions::note_release(ClaimId id, const model::Pod& pod) {
  const Claim& claim = tables_.claims[id];
  if (claim.object != nullptr && claim.extended()) {
    return tables_.releases.push_back({id, pod.meta.uid, true});
  }
  for (Release& release : written_for(id, pod)) {
    const bool last = release.consumer_uid == pod.meta.uid || claim.holders.size() == 1;
    if (last) tables_.releases.push_back(std::move(release));
  }
}

void ClaimDecisions::settle(PodIndex pod) {
  const auto at = std::find_if(journal_.rbegin(), journal_.rend(),
                               [&](const Entry& entry) { return entry.pod == pod; });
  if (at != journal_.rend()) journal_.erase(std::next(at).base());
}

void ClaimDecisions::forget(PodIndex pod) {
  settle(pod);
  const auto held = held_by_.extract(pod);
  if (held.empty()) return;
  for (const ClaimId id : held.mapped()) drop_holder(id, pod);
}

void ClaimDecisions::written(ClaimId id) {
  TUTTI_CHECK(tables_.claims[id].object != nullptr, "nothing is written into no claim");
  tables_.claims[id].fixed = true;
  movable_.remove(id);
  tables_.use.touch(tables_.claims[id].grant);  // somebody may have counted on its moving
}

bool ClaimDecisions::stands(ClaimId id) const {
  const Claim& claim = tables_.claims[id];
  return claim.granted && tables_.plans.plan(claim.plan).problem.empty() &&
         std::ranges::all_of(claim.grant, [&](const Pick& pick) {
           return tables_.inventory.device(pick.hold.device).device != nullptr;
         });
}

model::Allocation ClaimDecisions::allocation(ClaimId id, std::string_view node) const {
  const Claim& claim = tables_.claims[id];
  TUTTI_CHECK(claim.object != nullptr && claim.granted, "an allocation that nobody decided");
  return allocation_of(tables_.inventory, tables_.plans, tables_.plans.plan(claim.plan),
                       claim.grant, node, claim.object->meta.uid);
}

}  // namespace tutti::devices
