#include "core/scheduler/victim_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "core/scheduler/eviction_mark.h"
#include "core/victims/gang_ties.h"
#include "core/victims/victim_cost.h"

namespace tutti::core {
namespace {

PodReference reference_to(const model::Pod& pod) {
  return {.ns = pod.meta.ns, .name = pod.meta.name, .uid = pod.meta.uid};
}

// How evictions name the one they make room for.
struct Preemptor {
  std::string_view type;
  std::string uid;
};

Preemptor preemptor_of(const Cluster& cluster, const GroupTable& groups, const Entity& entity) {
  if (entity.lone()) return {.type = "pod", .uid = cluster.pod(entity.pod).object->meta.uid};
  const Group& root = groups[entity.root];
  if (root.composite) {
    return {.type = "compositepodgroup", .uid = root.composite_group->meta.uid};
  }
  return {.type = "podgroup", .uid = root.pod_group->meta.uid};
}

}  // namespace

CheckpointNotice VictimWriter::notice_for(PodId victim, const Entity& entity, Instant now) const {
  const PodEntry& entry = state_.cluster.pod(victim);
  const Preemptor preemptor = preemptor_of(state_.cluster, state_.groups, entity);
  const std::string& scheduler = entity.profile->scheduler_name;
  const GroupId leaf = state_.group_of(victim);
  const model::Object* group = leaf.valid() ? state_.groups[leaf].pod_group.get() : nullptr;
  const std::string* checkpoint = checkpoint_of(*entry.object, group);
  // A group takes room wherever it is, not on one node.
  const bool one_node = entity.lone() && entry.node.valid();
  return {.preemptor = key_of(entity),
          .until = now + checkpoint_grace(*entry.object, group),
          .checkpoint = checkpoint != nullptr ? *checkpoint : std::string(),
          .condition = preemption_mark(scheduler, preemptor.type, *entry.object, now),
          .event = {
              .about = entry.object,
              .type = "Normal",
              .reason = "Preempted",
              .action = "Preempting",
              .message = fmt::format("Preempted by {} {} on node {}", preemptor.type, preemptor.uid,
                                     one_node ? state_.cluster.node_name(entry.node) : "cluster"),
              .scheduler = scheduler}};
}

void VictimWriter::tell(PodId victim, CheckpointNotice notice, Instant now) {
  if (notice.until <= now) return evict(victim, notice);
  write_notice(victim, notice);
  notices_.give(victim, std::move(notice));
}

void VictimWriter::write_notice(PodId victim, const CheckpointNotice& notice) {
  const auto& object = state_.cluster.pod(victim).object;
  port_.patch_pod({.pod = reference_to(*object),
                   .condition = notice.condition,
                   .nominated_node = std::nullopt});
  port_.record({.about = object,
                .type = "Normal",
                .reason = "PreemptionNotice",
                .action = "Preempting",
                .message = fmt::format("will be preempted at {}, or as soon as its work is saved",
                                       format_rfc3339(notice.until)),
                .scheduler = notice.event.scheduler});
}

void VictimWriter::pardon(PodId victim, Instant now) {
  const auto& object = state_.cluster.pod(victim).object;
  port_.patch_pod({.pod = reference_to(*object),
                   .condition = withdrawn_mark(*object, now),
                   .nominated_node = std::nullopt});
}

void VictimWriter::evict(PodId victim, const CheckpointNotice& notice) {
  const auto& object = state_.cluster.pod(victim).object;
  if (object->meta.deletion) return;
  group_claims_.vacate(state_.group_of(victim));
  port_.evict(reference_to(*object), notice.condition);
  port_.record(notice.event);
}

void VictimWriter::withdraw(const EntityKey& preemptor, const Reservation& held, Instant now) {
  const auto withdrawn = notices_.withdraw(preemptor);
  if (withdrawn.empty()) return;
  std::unordered_set<PodId> gone = held.victims;
  for (const auto& [pod, notice] : withdrawn) gone.erase(pod);
  std::vector<GroupId> leaves;
  for (const auto& [pod, notice] : withdrawn) leaves.push_back(state_.group_of(pod));
  const auto falling = rest_of_broken_gangs(state_.groups, leaves, [&](PodId pod) {
    const PodEntry& entry = state_.cluster.pod(pod);
    return entry.node.valid() && !entry.object->meta.deletion && !gone.contains(pod);
  });
  for (const auto& [pod, notice] : withdrawn) {
    if (std::ranges::count(falling, pod) > 0) {
      evict(pod, notice);
    } else {
      pardon(pod, now);
    }
  }
}

void VictimWriter::note_checkpoint(PodId pod, const model::Pod& object) {
  if (notices_.empty()) return;
  const GroupId leaf = state_.group_of(pod);
  const model::Object* group = leaf.valid() ? state_.groups[leaf].pod_group.get() : nullptr;
  if (const auto notice = notices_.saved(pod, checkpoint_of(object, group))) evict(pod, *notice);
}

bool VictimWriter::evict_due(Instant now) {
  const auto due = notices_.take_due(now);
  for (const auto& [pod, notice] : due) evict(pod, notice);
  return !due.empty();
}

}  // namespace tutti::core
