#include "core/binding/intent.h"

#include <algorithm>
#include <utility>

#include "core/scheduler/scheduler.h"

namespace tutti::core {
namespace {

model::Condition intent(const model::PodGroup& group, bool open, std::string reason,
                        std::string message, Instant now) {
  return {.type = std::string(kBindingCondition),
          .status = open ? "True" : "False",
          .reason = std::move(reason),
          .message = std::move(message),
          .last_transition = now,
          .observed_generation = group.meta.generation};
}

// Whether the pod got its node after `since`, as far as its own status tells.
bool bound_since(const model::Pod& pod, Instant since) {
  const model::Condition* scheduled = model::find(pod.status.conditions, "PodScheduled");
  if (scheduled == nullptr || !scheduled->last_transition) return true;
  return *scheduled->last_transition >= since - kClockTolerance;
}

model::ObjectKey key_of(const Group& group) {
  return {model::Kind::pod_group, group.ns, group.name, {}};
}

}  // namespace

void Scheduler::declare_intent(GroupId leaf, Instant now) {
  if (!options_.record_intents || !leaf.valid() || !bound_by_us_.contains(leaf)) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group || !group.spec().policy.gang) return;
  auto& since = intents_[leaf];
  if (since) return;
  since = now;
  repeat_intent(leaf);
}

void Scheduler::repeat_intent(GroupId leaf) {
  const auto known = intents_.find(leaf);
  if (known == intents_.end() || !known->second) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group) return;
  port_.patch_group(
      {key_of(group), intent(*group.pod_group, true, "Binding",
                             "members are being bound; if the group cannot be completed, they are "
                             "taken back",
                             *known->second)});
}

void Scheduler::settle_intent(GroupId leaf, std::string_view reason, Instant now) {
  const auto known = intents_.find(leaf);
  if (known == intents_.end() || !std::exchange(known->second, std::nullopt)) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group) return;
  port_.patch_group({key_of(group), intent(*group.pod_group, false, std::string(reason),
                                           "no members are being bound", now)});
}

void Scheduler::settle_intent_if_empty(GroupId leaf, Instant now) {
  if (!groups_.alive(leaf) || vacating_.contains(leaf)) return;
  const Group& group = groups_[leaf];
  if (group.scheduled_count() == 0 && group.leaving.empty()) settle_intent(leaf, "TakenBack", now);
}

void Scheduler::take_over(Instant now) {
  took_over_ = true;
  pardon_marked(now);
  for (std::uint32_t slot = 0; slot < groups_.slots(); ++slot) {
    if (!groups_.alive(GroupId{slot})) continue;
    inherit(GroupId{slot}, now);
    const bool emptied = std::ranges::any_of(groups_[GroupId{slot}].leaving, [&](PodId pod) {
      return evicted_by_us(*cluster_.pod(pod).object);
    });
    if (emptied) vacate(GroupId{slot});
  }
  release_claims(now);
}

// A predecessor's last words may also arrive after we took over.
void Scheduler::inherit(GroupId leaf, Instant now) {
  const auto& object = groups_[leaf].pod_group;
  if (!took_over_ || !object || intents_.contains(leaf)) return;
  const model::Condition* open = model::find(object->conditions, kBindingCondition);
  if (open == nullptr || open->status != "True") return;
  const auto root = groups_.root_of(leaf);
  if (!root) return;
  const Instant since = open->last_transition.value_or(Instant{} + kClockTolerance);
  intents_[leaf] = since;
  if (groups_.complete(*root)) return settle_intent(leaf, "Bound", now);
  for (const PodId pod : groups_[leaf].assigned) {
    const model::Pod& member = *cluster_.pod(pod).object;
    if (profile_for(member) != nullptr && bound_since(member, since)) open_account(leaf, pod);
  }
  if (!bound_by_us_.contains(leaf)) {
    // Its claims may have been written before the first member was to be bound.
    if (groups_[leaf].scheduled_count() == 0) vacate(leaf);
    return settle_intent_if_empty(leaf, now);
  }
  if (!queue_.repair(*root, now)) {
    take_back(leaf, "its other members cannot be tried", now);
  }
}

}  // namespace tutti::core
