#include "core/scheduler/group_claims.h"

#include <algorithm>

#include "core/binding/intent.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// A release that does not show is asked for again.
constexpr Millis kRepeatAfter = std::chrono::seconds(30);

bool nobody_left(const Group& group) {
  return group.scheduled_count() == 0 && group.leaving.empty();
}

}  // namespace

void GroupClaims::vacate(GroupId leaf) {
  if (!leaf.valid() || !state_.groups.alive(leaf)) return;
  const Group& group = state_.groups[leaf];
  if (state_.cluster.devices().groups().has(group.ns, group.name)) vacating_.try_emplace(leaf);
}

void GroupClaims::stay(GroupId leaf) {
  if (vacating_.erase(leaf) == 0) return;
  const Group& group = state_.groups[leaf];
  state_.cluster.devices().groups().withhold(group.ns, group.name, false);
}

void GroupClaims::give_up(const Entity& entity, const Reservations& reservations) {
  devices::DeviceState& devices = state_.cluster.devices();
  if (entity.lone() || !devices.groups().any()) return;
  for (const GroupId leaf : state_.groups.leaves(entity.root)) {
    const Group& group = state_.groups[leaf];
    const bool expected = std::ranges::any_of(
        group.pending, [&](PodId pod) { return reservations.expected_on(pod).valid(); });
    if (nobody_left(group) && !expected && devices.groups().holds_claims(group.ns, group.name)) {
      vacate(leaf);
    }
  }
}

void GroupClaims::vacate_left_by_victims(const devices::Claim& claim, std::int32_t priority) {
  const GroupTable& groups = state_.groups;
  for (const auto& user : claim.object->reserved_for) {
    if (user.resource != "podgroups") continue;
    const auto leaf = groups.find(claim.name.first, user.name, false);
    if (!leaf || groups[*leaf].pod_group == nullptr || !nobody_left(groups[*leaf])) continue;
    const Group& group = groups[*leaf];
    const auto root = groups.root_of(*leaf);
    const bool ours = !group.pending.empty() ||
                      model::find(group.pod_group->conditions, kBindingCondition) != nullptr;
    if (ours && root && groups[*root].priority() < priority) vacate(*leaf);
  }
}

bool GroupClaims::comes_back(const devices::Claim& claim) const {
  const auto goes = [&](const model::ConsumerReference& user) {
    if (user.resource != "podgroups") return !state_.cluster.pods().find(user.uid).has_value();
    const auto leaf = state_.groups.find(claim.name.first, user.name, false);
    return !leaf || (vacating_.contains(*leaf) && state_.groups[*leaf].scheduled_count() == 0);
  };
  return claim.allocated() && std::ranges::all_of(claim.object->reserved_for, goes);
}

void GroupClaims::close_intent_if_empty(GroupId leaf, Instant now) {
  if (!state_.groups.alive(leaf) || vacating_.contains(leaf)) return;
  if (nobody_left(state_.groups[leaf])) intents_.settle(leaf, "TakenBack", now);
}

void GroupClaims::release_groups(Instant now) {
  devices::DeviceState& devices = state_.cluster.devices();
  for (auto at = vacating_.begin(); at != vacating_.end();) {
    const GroupId leaf = at->first;
    if (!state_.groups.alive(leaf)) {
      at = vacating_.erase(at);
      continue;
    }
    const Group& group = state_.groups[leaf];
    const auto version = devices.claims_version();
    devices.groups().withhold(group.ns, group.name, group.scheduled_count() == 0);
    // Pods that the claims held up hear of it: no claim changed.
    if (devices.claims_version() != version) {
      state_.queue.group_changed(leaf, GroupNews::other, now);
    }
    auto& asked = at->second;
    ++at;
    if (!nobody_left(group)) {
      asked.reset();
      continue;
    }
    if (!devices.groups().holds_claims(group.ns, group.name)) {
      stay(leaf);
      close_intent_if_empty(leaf, now);
    } else if (!asked || now >= *asked + kRepeatAfter) {
      asked = now;
      devices.groups().release(group.ns, group.name);
    }
  }
}

void GroupClaims::release(Instant now) {
  release_groups(now);
  for (const auto& release : state_.cluster.devices().take_releases()) {
    const auto& claim = state_.cluster.devices().claim(release.claim);
    if (claim.object == nullptr) continue;
    const auto& meta = claim.object->meta;
    port_.patch_claim({.ns = meta.ns,
                       .name = meta.name,
                       .uid = meta.uid,
                       .allocation = {},
                       .reserve_for = {},
                       .release = release.consumer_uid,
                       .remove = release.remove});
  }
}

std::optional<Instant> GroupClaims::next_repeated_release() const {
  std::optional<Instant> next;
  for (const auto& [leaf, asked] : vacating_) {
    if (asked) next = std::min(next.value_or(kEndOfTime), *asked + kRepeatAfter);
  }
  return next;
}

}  // namespace tutti::core
