#include "core/cycle/standing.h"

#include <fmt/format.h>

namespace tutti::core {
namespace {

// Names the first group above the pod that does not exist.
std::string missing_ancestor(const SchedulerState& state, PodId pod) {
  const GroupTable& groups = state.groups;
  GroupId group = state.group_of(pod);
  for (int level = 0; level < GroupTable::kMaxDepth && groups[group].seen(); ++level) {
    if (!groups[group].parent.valid()) return "its groups form a cycle or are nested too deep";
    group = groups[group].parent;
  }
  const Group& missing = groups[group];
  return fmt::format("{} {}/{} does not exist",
                     missing.composite ? "CompositePodGroup" : "PodGroup", missing.ns,
                     missing.name);
}

}  // namespace

Standing standing_of(const SchedulerState& state, PodId pod) {
  const PodEntry& entry = state.cluster.pod(pod);
  if (!entry.object->node_name.empty()) return Standing::placed;
  if (entry.assumed) return Standing::binding;
  if (state.queue.incomplete(pod)) return Standing::incomplete;
  const Entity* entity = state.queue.entity_of(pod);
  if (entity == nullptr) {
    return state.profile_for(*entry.object) ? Standing::unknown : Standing::foreign;
  }
  switch (entity->area) {
    case Entity::Area::gated:
      return Standing::gated;
    case Entity::Area::backing_off:
      return Standing::backing_off;
    case Entity::Area::parked:
      return Standing::unschedulable;
    case Entity::Area::active:
    case Entity::Area::in_attempt:
      break;
  }
  return Standing::queued;
}

Standing standing_of(const SchedulerState& state, GroupId group) {
  const auto leaves = state.groups.leaves(group);
  for (const GroupId leaf : leaves) {
    const Group& entry = state.groups[leaf];
    if (!entry.pending.empty()) return standing_of(state, *entry.pending.begin());
  }
  for (const GroupId leaf : leaves) {
    if (!state.groups[leaf].assumed.empty()) return Standing::binding;
  }
  for (const GroupId leaf : leaves) {
    if (!state.groups[leaf].assigned.empty()) return Standing::placed;
  }
  return Standing::unknown;
}

std::string held_reason(const SchedulerState& state, PodId pod) {
  if (state.queue.incomplete(pod)) return missing_ancestor(state, pod);
  const Entity* entity = state.queue.entity_of(pod);
  if (entity == nullptr || entity->area != Entity::Area::gated) return {};
  if (!entity->members.contains(entity->gated_pod)) return {};
  return entity->gated_by->pre_enqueue(state.cluster, state.groups, entity->gated_pod).reason;
}

}  // namespace tutti::core
