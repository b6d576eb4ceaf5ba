#include "core/binding/intents.h"

#include <string>
#include <utility>

#include "core/binding/intent.h"

namespace tutti::core {
namespace {

enum class IntentStatus : std::uint8_t { open, closed };

model::Condition intent(const model::PodGroup& group, IntentStatus status, std::string_view reason,
                        std::string_view message, Instant now) {
  return {.type = std::string(kBindingCondition),
          .status = status == IntentStatus::open ? "True" : "False",
          .reason = std::string(reason),
          .message = std::string(message),
          .last_transition = now,
          .observed_generation = group.meta.generation};
}

model::ObjectKey object_key(const Group& group) {
  return {.kind = model::Kind::pod_group, .ns = group.ns, .name = group.name, .other_kind = {}};
}

}  // namespace

void Intents::declare(GroupId leaf, Instant now) {
  if (!recorded_) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group || !group.spec().policy.gang) return;
  auto& since = since_[leaf];
  if (since) return;
  since = now;
  repeat(leaf);
}

void Intents::repeat(GroupId leaf) {
  const auto known = since_.find(leaf);
  if (known == since_.end() || !known->second) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group) return;
  port_.patch_group(
      {.group = object_key(group),
       .condition = intent(*group.pod_group, IntentStatus::open, "Binding",
                           "members are being bound; if the group cannot be completed, they are "
                           "taken back",
                           *known->second)});
}

void Intents::settle(GroupId leaf, std::string_view reason, Instant now) {
  const auto known = since_.find(leaf);
  if (known == since_.end() || !std::exchange(known->second, std::nullopt)) return;
  const Group& group = groups_[leaf];
  if (!group.pod_group) return;
  port_.patch_group({.group = object_key(group),
                     .condition = intent(*group.pod_group, IntentStatus::closed, reason,
                                         "no members are being bound", now)});
}

}  // namespace tutti::core
