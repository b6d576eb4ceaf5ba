#include "core/scheduler/takeover.h"

#include <algorithm>

#include "core/binding/intent.h"
#include "core/scheduler/eviction_mark.h"

namespace tutti::core {
namespace {

// Whether the pod got its node after `since`, as far as its own status tells.
bool bound_since(const model::Pod& pod, Instant since) {
  const model::Condition* scheduled = model::find(pod.status.conditions, "PodScheduled");
  if (scheduled == nullptr || !scheduled->last_transition) return true;
  return *scheduled->last_transition >= since - kClockTolerance;
}

// What the others are told whose gang lost this victim.
CheckpointNotice notice_after(const model::Pod& victim, Instant now) {
  CheckpointNotice notice;
  notice.condition = *eviction_mark(victim);
  notice.condition.last_transition = now;
  notice.event = {.about = {},
                  .type = "Normal",
                  .reason = "Preempted",
                  .action = "Preempting",
                  .message = "Preempted with the rest of its gang",
                  .scheduler = preempting_scheduler(notice.condition)};
  return notice;
}

}  // namespace

void Takeover::begin(Instant now) {
  began_ = true;
  pardon_marked(now);
  for (std::uint32_t slot = 0; slot < state_.groups.slots(); ++slot) {
    const GroupId leaf{slot};
    if (!state_.groups.alive(leaf)) continue;
    inherit(leaf, now);
    if (was_evicted_from(leaf)) group_claims_.vacate(leaf);
  }
  group_claims_.release(now);
}

bool Takeover::was_evicted_from(GroupId leaf) const {
  return std::ranges::any_of(state_.groups[leaf].leaving, [&](PodId pod) {
    return evicted_by(state_.profiles, *state_.cluster.pod(pod).object);
  });
}

void Takeover::inherit(GroupId leaf, Instant now) {
  const GroupTable& groups = state_.groups;
  const auto& object = groups[leaf].pod_group;
  if (!began_ || !object || intents_.knows(leaf)) return;
  const model::Condition* open = model::find(object->conditions, kBindingCondition);
  if (open == nullptr || open->status != "True") return;
  const auto root = groups.root_of(leaf);
  if (!root) return;
  const Instant since = open->last_transition.value_or(Instant{} + kClockTolerance);
  intents_.inherit(leaf, since);
  if (groups.complete(*root)) return intents_.settle(leaf, "Bound", now);
  for (const PodId pod : groups[leaf].assigned) {
    const model::Pod& member = *state_.cluster.pod(pod).object;
    if (state_.profile_for(member) != nullptr && bound_since(member, since)) {
      binding_.answer_for(leaf, pod);
    }
  }
  if (!binding_.anyone_answers_for(leaf)) {
    // Its claims may have been written before the first member was to be bound.
    if (groups[leaf].scheduled_count() == 0) group_claims_.vacate(leaf);
    return group_claims_.close_intent_if_empty(leaf, now);
  }
  if (!state_.queue.repair(*root, now)) {
    binding_.take_back(leaf, "its other members cannot be tried", now);
  }
}

void Takeover::pardon_marked(Instant now) {
  const auto falling = finish_falls(now);
  for (std::uint32_t slot = 0; slot < state_.cluster.pods().slots(); ++slot) {
    const PodId pod{slot};
    const auto& object = state_.cluster.pod(pod).object;
    if (!object || object->meta.deletion || !is_victim(*object)) continue;
    if (falling.contains(pod)) continue;
    if (evicted_by(state_.profiles, *object)) victims_.pardon(pod, now);
  }
}

std::unordered_set<PodId> Takeover::finish_falls(Instant now) {
  std::unordered_set<PodId> falling;
  for (std::uint32_t slot = 0; slot < state_.groups.slots(); ++slot) {
    const GroupId leaf{slot};
    if (!state_.groups.alive(leaf)) continue;
    const auto& leaving = state_.groups[leaf].leaving;
    const auto victim = std::ranges::find_if(leaving, [&](PodId pod) {
      const model::Pod& object = *state_.cluster.pod(pod).object;
      return is_victim(object) && evicted_by(state_.profiles, object);
    });
    if (victim == leaving.end()) continue;
    CheckpointNotice notice = notice_after(*state_.cluster.pod(*victim).object, now);
    for (const PodId pod : eviction_.rest_after({&*victim, 1})) {
      if (!falling.insert(pod).second) continue;
      notice.event.about = state_.cluster.pod(pod).object;
      victims_.evict(pod, notice);
    }
  }
  return falling;
}

}  // namespace tutti::core
