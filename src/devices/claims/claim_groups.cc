#include "devices/claims/claim_groups.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::devices {
namespace {

constexpr std::string_view kSchedulingGroup = "scheduling.k8s.io";
constexpr std::string_view kGroups = "podgroups";

using GroupName = std::pair<std::string, std::string>;

GroupName group_key(std::string_view ns, std::string_view name) {
  return {std::string(ns), std::string(name)};
}

bool has_consumer(const model::ResourceClaim& claim, const std::string& uid) {
  return std::ranges::find(claim.reserved_for, uid, &model::ConsumerReference::uid) !=
         claim.reserved_for.end();
}

}  // namespace

void ClaimGroups::set(const model::PodGroup& group) {
  if (group.spec.resource_claims.empty()) return remove(group.meta.ns, group.meta.name);
  Entry& entry = groups_[group_key(group.meta.ns, group.meta.name)];
  if (entry.uid != group.meta.uid) entry = {};
  entry.uid = group.meta.uid;
  entry.claims = group.spec.resource_claims;
}

void ClaimGroups::remove(std::string_view ns, std::string_view name) {
  groups_.erase(group_key(ns, name));
}

const ClaimGroups::Entry* ClaimGroups::find(std::string_view ns, std::string_view name) const {
  if (groups_.empty()) return nullptr;
  const auto at = groups_.find(group_key(ns, name));
  return at == groups_.end() ? nullptr : &at->second;
}

const ClaimGroups::Entry* ClaimGroups::group_of(const model::Pod& pod) const {
  if (pod.spec->scheduling_group.empty()) return nullptr;
  return find(pod.meta.ns, pod.spec->scheduling_group);
}

model::ConsumerReference ClaimGroups::consumer_of(const model::Pod& pod,
                                                  const model::ClaimReference& entry) const {
  const Entry* group = group_of(pod);
  if (group != nullptr && std::ranges::find(group->claims, entry) != group->claims.end()) {
    return {std::string(kSchedulingGroup), std::string(kGroups), pod.spec->scheduling_group,
            group->uid};
  }
  return {{}, "pods", pod.meta.name, pod.meta.uid};
}

void ClaimGroups::list_claim(ClaimId id, const model::ResourceClaim* before) {
  if (before != nullptr) {
    for (const auto& consumer : before->reserved_for) {
      const auto at = reserved_.find(consumer.uid);
      if (at == reserved_.end()) continue;
      at->second.erase(id);
      if (at->second.empty()) reserved_.erase(at);
    }
  }
  TUTTI_CHECK(id.valid() && id.index < tables_.claims.slots().size());
  const auto& now = tables_.claims[id].object;
  if (now == nullptr) return;
  for (const auto& consumer : now->reserved_for) {
    if (consumer.resource == kGroups) reserved_[consumer.uid].insert(id);
  }
}

std::vector<ClaimId> ClaimGroups::reserved_for(const Entry& group) const {
  const auto at = reserved_.find(group.uid);
  if (at == reserved_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<ClaimId> ClaimGroups::reserved_for(std::string_view ns, std::string_view name) const {
  const Entry* group = find(ns, name);
  return group == nullptr ? std::vector<ClaimId>{} : reserved_for(*group);
}

void ClaimGroups::withhold(std::string_view ns, std::string_view name, bool withheld) {
  const auto at = groups_.find(group_key(ns, name));
  if (at == groups_.end() || at->second.withheld == withheld) return;
  at->second.withheld = withheld;
  tables_.claims.note_change();
}

bool ClaimGroups::is_withheld(const model::Pod& pod, const model::ClaimReference& entry,
                              const Claim& claim) const {
  const Entry* group = group_of(pod);
  return group != nullptr && group->withheld &&
         std::ranges::find(group->claims, entry) != group->claims.end() &&
         has_consumer(*claim.object, group->uid);
}

bool ClaimGroups::holds_claims(std::string_view ns, std::string_view name) const {
  return std::ranges::any_of(reserved_for(ns, name),
                             [&](ClaimId id) { return tables_.claims[id].holders.empty(); });
}

void ClaimGroups::release(std::string_view ns, std::string_view name) {
  const Entry* group = find(ns, name);
  if (group == nullptr) return;
  for (const ClaimId id : reserved_for(*group)) {
    if (tables_.claims[id].holders.empty()) tables_.releases.push_back({id, group->uid});
  }
}

}  // namespace tutti::devices
