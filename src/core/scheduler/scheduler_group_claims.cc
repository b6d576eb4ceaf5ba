#include "core/victims/group_claim_release.h"

#include <algorithm>

#include "core/binding/intent.h"
#include "core/preemption/preemption.h"
#include "core/scheduler/scheduler.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// A release that does not show is asked for again.
constexpr Millis kRepeatAfter = std::chrono::seconds(30);

bool nobody_left(const Group& group) {
  return group.scheduled_count() == 0 && group.leaving.empty();
}

}  // namespace

bool Scheduler::evicted_by_us(const model::Pod& pod) const {
  const model::Condition* why = model::find(pod.status.conditions, "DisruptionTarget");
  if (why == nullptr || why->status != "True") return false;
  if (why->reason == kIncompleteReason) return true;
  return why->reason == kPreemptedReason &&
         std::ranges::any_of(profiles_, [&](const Profile& profile) {
           return why->message.starts_with(profile.scheduler_name + ": ");
         });
}

void Scheduler::vacate(GroupId leaf) {
  if (!leaf.valid() || !groups_.alive(leaf)) return;
  const Group& group = groups_[leaf];
  if (cluster_.devices().has_group(group.ns, group.name)) vacating_.try_emplace(leaf);
}

void Scheduler::stay(GroupId leaf) {
  if (vacating_.erase(leaf) == 0) return;
  cluster_.devices().withhold(groups_[leaf].ns, groups_[leaf].name, false);
}

void Scheduler::give_up_group_claims(const Entity& entity) {
  if (entity.lone() || !cluster_.devices().any_group()) return;
  for (const GroupId leaf : groups_.leaves(entity.root)) {
    const Group& group = groups_[leaf];
    const bool expected = std::ranges::any_of(
        group.pending, [&](PodId pod) { return reservations_.expected_on(pod).valid(); });
    if (nobody_left(group) && !expected &&
        cluster_.devices().holds_for_group(group.ns, group.name)) {
      vacate(leaf);
    }
  }
}

void Scheduler::vacate_left_by_victims(const devices::Claim& claim, std::int32_t priority) {
  for (const auto& user : claim.object->reserved_for) {
    if (user.resource != "podgroups") continue;
    const auto leaf = groups_.find(claim.name.first, user.name, false);
    if (!leaf || groups_[*leaf].pod_group == nullptr || !nobody_left(groups_[*leaf])) continue;
    const Group& group = groups_[*leaf];
    const auto root = groups_.root_of(*leaf);
    const bool ours = !group.pending.empty() ||
                      model::find(group.pod_group->conditions, kBindingCondition) != nullptr;
    if (ours && root && groups_[*root].priority() < priority) vacate(*leaf);
  }
}

void Scheduler::mind_vacating(Instant now) {
  devices::DeviceState& devices = cluster_.devices();
  for (auto at = vacating_.begin(); at != vacating_.end();) {
    const GroupId leaf = at->first;
    if (!groups_.alive(leaf)) {
      at = vacating_.erase(at);
      continue;
    }
    const Group& group = groups_[leaf];
    const auto version = devices.claims_version();
    devices.withhold(group.ns, group.name, group.scheduled_count() == 0);
    // Those that the claims held up hear of it: no claim changed.
    if (devices.claims_version() != version) queue_.group_changed(leaf, false, now);
    auto& asked = at->second;
    ++at;
    if (!nobody_left(group)) {
      asked.reset();
      continue;
    }
    if (!devices.holds_for_group(group.ns, group.name)) {
      stay(leaf);
      settle_intent_if_empty(leaf, now);
    } else if (!asked || now >= *asked + kRepeatAfter) {
      asked = now;
      devices.release_group(group.ns, group.name);
    }
  }
}

std::optional<Instant> Scheduler::next_repeated_release() const {
  std::optional<Instant> next;
  for (const auto& [leaf, asked] : vacating_) {
    if (asked) next = std::min(next.value_or(kEndOfTime), *asked + kRepeatAfter);
  }
  return next;
}

void Scheduler::release_claims(Instant now) {
  mind_vacating(now);
  for (const auto& release : cluster_.devices().take_releases()) {
    const auto& claim = cluster_.devices().claim(release.claim);
    if (claim.object == nullptr) continue;
    const auto& meta = claim.object->meta;
    port_.patch_claim({meta.ns, meta.name, meta.uid, {}, {}, release.consumer_uid, release.remove});
  }
}

}  // namespace tutti::core
