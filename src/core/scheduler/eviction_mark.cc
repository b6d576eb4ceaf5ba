#include "core/scheduler/eviction_mark.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/binding/intent.h"
#include "core/preemption/preemption.h"

namespace tutti::core {
namespace {

constexpr std::string_view kMarkType = "DisruptionTarget";
// Between the scheduler's name and what it evicts for.
constexpr std::string_view kAfterName = ": ";

}  // namespace

model::Condition preemption_mark(std::string_view scheduler, std::string_view preemptor_type,
                                 const model::Pod& victim, Instant now) {
  return {.type = std::string(kMarkType),
          .status = "True",
          .reason = std::string(kPreemptedReason),
          .message = fmt::format("{}{}preempting to accommodate a {}", scheduler, kAfterName,
                                 preemptor_type),
          .last_transition = now,
          .observed_generation = victim.meta.generation};
}

model::Condition withdrawn_mark(const model::Pod& victim, Instant now) {
  return {.type = std::string(kMarkType),
          .status = "False",
          .reason = "PreemptionWithdrawn",
          .message = "its room is not needed any more",
          .last_transition = now,
          .observed_generation = victim.meta.generation};
}

model::Condition incomplete_gang_mark(const std::string& message, Instant now) {
  return {.type = std::string(kMarkType),
          .status = "True",
          .reason = std::string(kIncompleteReason),
          .message = message,
          .last_transition = now,
          .observed_generation = 0};
}

const model::Condition* eviction_mark(const model::Pod& pod) {
  const model::Condition* mark = model::find(pod.status.conditions, kMarkType);
  return mark != nullptr && mark->status == "True" ? mark : nullptr;
}

bool is_victim(const model::Pod& pod) {
  const model::Condition* mark = eviction_mark(pod);
  return mark != nullptr && mark->reason == kPreemptedReason;
}

bool evicted_by(const ProfileSet& profiles, const model::Pod& pod) {
  const model::Condition* mark = eviction_mark(pod);
  if (mark == nullptr) return false;
  if (mark->reason == kIncompleteReason) return true;
  return mark->reason == kPreemptedReason &&
         std::ranges::any_of(profiles.all(), [&](const Profile& profile) {
           return mark->message.starts_with(profile.scheduler_name + std::string(kAfterName));
         });
}

std::string preempting_scheduler(const model::Condition& mark) {
  return mark.message.substr(0, mark.message.find(kAfterName));
}

}  // namespace tutti::core
