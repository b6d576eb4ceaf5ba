#include "devices/claims/claim_table.h"

#include <unordered_set>

#include "base/check.h"

namespace tutti::devices {
namespace {

std::pair<std::string, std::string> claim_key(std::string_view ns, std::string_view name) {
  return {std::string(ns), std::string(name)};
}

}  // namespace

ClaimId ClaimTable::find(std::string_view ns, std::string_view name) const {
  const auto at = ids_.find(claim_key(ns, name));
  return at == ids_.end() ? ClaimId{} : at->second;
}

ClaimId ClaimTable::find_extended(const std::string& pod_uid) const {
  const auto at = extended_.find(pod_uid);
  return at == extended_.end() ? ClaimId{} : at->second;
}

ClaimId ClaimTable::open(std::string_view ns, std::string_view name) {
  const auto known = ids_.find(claim_key(ns, name));
  if (known != ids_.end()) return known->second;
  ClaimId id{static_cast<std::uint32_t>(claims_.size())};
  if (vacant_.empty()) {
    claims_.emplace_back();
  } else {
    id = vacant_.back();
    vacant_.pop_back();
    TUTTI_CHECK(claims_[id.index].object == nullptr && claims_[id.index].holders.empty());
  }
  claims_[id.index].name = claim_key(ns, name);
  ids_.emplace(claim_key(ns, name), id);
  return id;
}

void ClaimTable::rename(ClaimId id, std::string_view ns, std::string_view name) {
  Claim& claim = (*this)[id];
  TUTTI_CHECK(ids_.erase(claim.name) == 1, "a claim without a name gets another");
  claim.name = claim_key(ns, name);
  TUTTI_CHECK(ids_.emplace(claim.name, id).second, "a claim gets the name of another");
}

void ClaimTable::release(ClaimId id) {
  Claim& claim = (*this)[id];
  if (claim.object != nullptr || !claim.holders.empty()) return;
  TUTTI_CHECK(!claim.granted, "a slot goes with devices that nobody can give back");
  TUTTI_CHECK(ids_.erase(claim.name) == 1, "a slot is given up twice");
  if (const auto at = extended_.find(claim.pod_uid); at != extended_.end() && at->second == id) {
    extended_.erase(at);
  }
  // Answers about the slot's former claim must not pass for answers about the next.
  const std::uint64_t grants = claim.grants + 1;
  claim = {};
  claim.grants = grants;
  vacant_.push_back(id);
}

// Only near the limit does it matter who is counted twice. Waiting pods are another class beyond
// it.
void ClaimTable::count_users(Claim& claim) {
  const bool was_full = claim.users >= kUsersMax;
  claim.users = claim.holders.size();
  if (claim.object != nullptr) claim.users += claim.object->reserved_for.size();
  if (claim.users >= kUsersMax && claim.object != nullptr) {
    std::unordered_set<std::string_view> uids;
    for (const auto& each : claim.object->reserved_for) uids.insert(each.uid);
    for (const Holder& holder : claim.holders) uids.insert(holder.user);
    claim.users = uids.size();
  }
  if (was_full != (claim.users >= kUsersMax)) note_change();
}

}  // namespace tutti::devices
