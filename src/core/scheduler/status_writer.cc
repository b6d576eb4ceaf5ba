#include "core/scheduler/status_writer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "core/binding/leftover_claims.h"
#include "core/placement/fit_message.h"
#include "core/queue/group_cache.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// The API's limit on event messages.
constexpr std::size_t kEventMessageMax = 1024;

std::string_view reason_of(Code code) {
  if (code == Code::success) return "Scheduled";
  return code == Code::error ? "SchedulerError" : "Unschedulable";
}

// `made` with the transition time it deserves; false when it says nothing new.
bool settle_transition(model::Condition& made, const model::Condition* known, Instant now) {
  made.last_transition = now;
  if (known == nullptr) return true;
  if (known->status == made.status) made.last_transition = known->last_transition;
  return *known != made;
}

// Whether the condition is what would be written of the pod now, and nothing else is to be changed.
bool says(const model::Condition& condition, Code code, const std::string& message,
          const model::Pod& pod) {
  return condition.message == message && condition.reason == reason_of(code) &&
         condition.observed_generation == pod.meta.generation && pod.status.nominated_node.empty();
}

Code failure_code(const LeafResult& leaf) {
  return leaf.attempt.code == Code::error ? Code::error : Code::unschedulable;
}

// Whether a member with this report is told its own reason, not the group's.
bool has_own_text(const LeafResult& leaf, std::size_t report) {
  return report != Unplaced::kGroup && leaf.attempt.code != Code::error;
}

// What all members are told if it is the same for each; none of them got a node.
std::optional<GroupCache::Told> told_to_all(const LeafResult& leaf, std::size_t members) {
  if (leaf.unplaced.size() != members || members == 0) return std::nullopt;
  const std::size_t report = leaf.unplaced.front().report;
  if (!std::ranges::all_of(leaf.unplaced, [&](const Unplaced& m) { return m.report == report; })) {
    return std::nullopt;
  }
  return GroupCache::Told{failure_code(leaf),
                          has_own_text(leaf, report)
                              ? fit_message(leaf.attempt.classes[report].diagnosis)
                              : leaf.attempt.message};
}

std::string truncated(std::string text) {
  if (text.size() <= kEventMessageMax) return text;
  return std::string(beginning(text, kEventMessageMax - 3)) + "...";
}

}  // namespace

void StatusWriter::write_leaf(const LeafResult& leaf, const Profile& profile, Instant now) {
  if (leaf.leaf.valid()) write_group_condition(leaf.leaf, leaf.attempt, now);
  write_members(leaf, profile, now);
}

void StatusWriter::write_refusal(Entity& entity, const LeafResult& leaf, Instant now) {
  GroupCache* group_cache = current_roster(state_.groups, entity);
  if (group_cache == nullptr || group_cache->tree.facts->claims ||
      group_cache->tree.facts->nominated || !reservations_.empty()) {
    return write_leaf(leaf, *entity.profile, now);
  }
  write_group_condition(leaf.leaf, leaf.attempt, now);
  auto told = told_to_all(leaf, group_cache->tree.members.size());
  if (told && told == group_cache->told) return;
  write_members(leaf, *entity.profile, now);
  group_cache->told = std::move(told);
}

void StatusWriter::write_members(const LeafResult& leaf, const Profile& profile, Instant now) {
  const Code code = failure_code(leaf);
  std::vector<std::string> texts;
  for (const auto& report : leaf.attempt.classes) texts.push_back(fit_message(report.diagnosis));
  for (const auto& [pod, report] : leaf.unplaced) {
    const bool expected = reservations_.expected_on(pod).valid();
    if (!expected) give_up_claims(state_.cluster.devices(), *state_.cluster.pod(pod).object, port_);
  }
  // Members mostly say the same, and have said it before: those that share a condition need no
  // look.
  std::shared_ptr<const model::Condition> said;
  for (const auto& [pod, report] : leaf.unplaced) {
    const std::string& message = has_own_text(leaf, report) ? texts[report] : leaf.attempt.message;
    Member* member = state_.queue.member(pod);
    const bool known = said && member != nullptr && member->written == said &&
                       says(*said, code, message, *state_.cluster.pod(pod).object);
    if (known) continue;
    write_pod_failure(pod, code, message, profile, now);
    if (member == nullptr || !member->written) continue;
    if (said && *said == *member->written) member->written = said;
    said = member->written;
  }
}

void StatusWriter::write_pod_failure(PodId pod, Code code, const std::string& message,
                                     const Profile& profile, Instant now) {
  const auto& object = state_.cluster.pod(pod).object;
  model::Condition condition{.type = "PodScheduled",
                             .status = "False",
                             .reason = std::string(reason_of(code)),
                             .message = message,
                             .last_transition = {},
                             .observed_generation = object->meta.generation};
  Member* member = state_.queue.member(pod);
  const model::Condition* known = member != nullptr && member->written
                                      ? member->written.get()
                                      : model::find(object->status.conditions, "PodScheduled");
  const bool fresh = settle_transition(condition, known, now);
  const NodeId expected = reservations_.expected_on(pod);
  const std::string node = expected.valid() ? state_.cluster.node_name(expected) : "";
  const bool moved = object->status.nominated_node != node;
  if (!fresh && !moved) return;
  const auto& meta = object->meta;
  PodStatusPatch patch{.pod = {.ns = meta.ns, .name = meta.name, .uid = meta.uid},
                       .condition = {},
                       .nominated_node = {}};
  if (fresh) patch.condition = condition;
  if (fresh && member != nullptr) {
    member->written = std::make_shared<const model::Condition>(condition);
  }
  if (moved) patch.nominated_node = node;
  port_.patch_pod(patch);
  if (!fresh) return;
  port_.record({.about = object,
                .type = "Warning",
                .reason = "FailedScheduling",
                .action = "Scheduling",
                .message = truncated(message),
                .scheduler = profile.scheduler_name});
}

void StatusWriter::write_scheduled(PodId pod, NodeId node, const Profile& profile) {
  const auto& object = state_.cluster.pod(pod).object;
  const auto& meta = object->meta;
  port_.record({.about = object,
                .type = "Normal",
                .reason = "Scheduled",
                .action = "Binding",
                .message = "Successfully assigned " + meta.ns + "/" + meta.name + " to " +
                           state_.cluster.node_name(node),
                .scheduler = profile.scheduler_name});
}

void StatusWriter::write_group_condition(GroupId id, const Attempt& attempt, Instant now) {
  const Group& group = state_.groups[id];
  if (!group.seen()) return;
  const std::string type(group.composite ? model::kCompositeScheduled
                                         : model::scheduled_condition_type(*group.pod_group));
  const auto& conditions =
      group.composite ? group.composite_group->conditions : group.pod_group->conditions;
  const auto written = written_.find(id);
  const model::Condition* known =
      written != written_.end() ? &written->second : model::find(conditions, type);
  const bool success = attempt.code == Code::success;
  // Once scheduled stays so: the condition speaks of the first time.
  if (known != nullptr && known->status == "True") return;
  const auto& meta = group.composite ? group.composite_group->meta : group.pod_group->meta;
  model::Condition condition{.type = type,
                             .status = success ? "True" : "False",
                             .reason = std::string(reason_of(attempt.code)),
                             .message = success ? "the group was placed" : attempt.message,
                             .last_transition = {},
                             .observed_generation = meta.generation};
  if (!settle_transition(condition, known, now)) return;
  written_.insert_or_assign(id, condition);
  const auto kind = group.composite ? model::Kind::composite_pod_group : model::Kind::pod_group;
  port_.patch_group({.group = {.kind = kind, .ns = group.ns, .name = group.name, .other_kind = {}},
                     .condition = std::move(condition)});
}

void StatusWriter::write_composites(GroupId id, const Attempt& attempt, Instant now) {
  const Group& group = state_.groups[id];
  if (!group.composite) return;
  for (const GroupId child : group.children) write_composites(child, attempt, now);
  if (state_.groups.satisfied(id)) {
    Attempt stands;
    write_group_condition(id, stands, now);
  } else if (attempt.code != Code::success) {
    write_group_condition(id, attempt, now);
  }
}

}  // namespace tutti::core
