// Claims of groups: whose they are, what is reserved for a group, and how a group gives it back.
#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "devices/device_state.h"

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

void DeviceState::set_group(const model::PodGroup& group) {
  if (group.spec.resource_claims.empty()) return remove_group(group.meta.ns, group.meta.name);
  GroupEntry& entry = groups_[group_key(group.meta.ns, group.meta.name)];
  if (entry.uid != group.meta.uid) entry = {};
  entry.uid = group.meta.uid;
  entry.claims = group.spec.resource_claims;
}

void DeviceState::remove_group(std::string_view ns, std::string_view name) {
  groups_.erase(group_key(ns, name));
}

const DeviceState::GroupEntry* DeviceState::find_group(std::string_view ns,
                                                       std::string_view name) const {
  if (groups_.empty()) return nullptr;
  const auto at = groups_.find(group_key(ns, name));
  return at == groups_.end() ? nullptr : &at->second;
}

const DeviceState::GroupEntry* DeviceState::group_of(const model::Pod& pod) const {
  if (pod.spec->scheduling_group.empty()) return nullptr;
  return find_group(pod.meta.ns, pod.spec->scheduling_group);
}

model::ConsumerReference DeviceState::consumer_of(const model::Pod& pod,
                                                  const model::ClaimReference& entry) const {
  const GroupEntry* group = group_of(pod);
  if (group != nullptr && std::ranges::find(group->claims, entry) != group->claims.end()) {
    return {std::string(kSchedulingGroup), std::string(kGroups), pod.spec->scheduling_group,
            group->uid};
  }
  return {{}, "pods", pod.meta.name, pod.meta.uid};
}

// Keeps the list of what is reserved for which group; `before` is what the claim was, if anything.
void DeviceState::list_group_claim(ClaimId id, const model::ResourceClaim* before) {
  if (before != nullptr) {
    for (const auto& consumer : before->reserved_for) {
      const auto at = group_claims_.find(consumer.uid);
      if (at == group_claims_.end()) continue;
      at->second.erase(id);
      if (at->second.empty()) group_claims_.erase(at);
    }
  }
  TUTTI_CHECK(id.valid() && id.index < claims_.size());
  const auto& now = claims_[id.index].object;
  if (now == nullptr) return;
  for (const auto& consumer : now->reserved_for) {
    if (consumer.resource == kGroups) group_claims_[consumer.uid].insert(id);
  }
}

std::vector<ClaimId> DeviceState::reserved_for(const GroupEntry& group) const {
  const auto at = group_claims_.find(group.uid);
  if (at == group_claims_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

void DeviceState::withhold(std::string_view ns, std::string_view name, bool withheld) {
  const auto at = groups_.find(group_key(ns, name));
  if (at == groups_.end() || at->second.withheld == withheld) return;
  at->second.withheld = withheld;
  ++claims_version_;
}

bool DeviceState::is_withheld(const model::Pod& pod, const model::ClaimReference& entry,
                              const Claim& claim) const {
  const GroupEntry* group = group_of(pod);
  return group != nullptr && group->withheld &&
         std::ranges::find(group->claims, entry) != group->claims.end() &&
         has_consumer(*claim.object, group->uid);
}

bool DeviceState::holds_for_group(std::string_view ns, std::string_view name) const {
  const GroupEntry* group = find_group(ns, name);
  if (group == nullptr) return false;
  return std::ranges::any_of(reserved_for(*group),
                             [&](ClaimId id) { return claims_[id.index].holders.empty(); });
}

void DeviceState::release_group(std::string_view ns, std::string_view name) {
  const GroupEntry* group = find_group(ns, name);
  if (group == nullptr) return;
  for (const ClaimId id : reserved_for(*group)) {
    if (claims_[id.index].holders.empty()) releases_.push_back({id, group->uid});
  }
}

std::vector<ClaimId> DeviceState::imagine_group_gone(std::string_view ns, std::string_view name) {
  std::vector<ClaimId> freed;
  const GroupEntry* group = find_group(ns, name);
  if (group == nullptr) return freed;
  std::ranges::copy_if(reserved_for(*group), std::back_inserter(freed),
                       [&](ClaimId id) { return lose_consumer(claims_[id.index]); });
  return freed;
}

std::vector<ClaimId> DeviceState::imagine_group_back(std::string_view ns, std::string_view name) {
  std::vector<ClaimId> taken;
  const GroupEntry* group = find_group(ns, name);
  if (group == nullptr) return taken;
  std::ranges::copy_if(reserved_for(*group), std::back_inserter(taken),
                       [&](ClaimId id) { return regain_consumer(claims_[id.index]); });
  return taken;
}

}  // namespace tutti::devices
