#include "core/cycle/state.h"

#include <fmt/format.h>

#include <utility>

#include "core/queue/group_cache.h"

namespace tutti::core {

SchedulerState::SchedulerState(const SchedulerConfig& config, std::vector<Profile> own,
                               bool sole_scheduler)
    : profiles(std::move(own), sole_scheduler),
      queue(cluster, groups, config.initial_backoff, config.max_backoff,
            [this](const model::Pod& pod) { return profile_for(pod); }) {
  cluster.look_at(aspects_of(profiles.all()));
}

GroupId SchedulerState::group_of(PodId pod) const {
  const auto at = leaf_of.find(pod);
  return at == leaf_of.end() ? GroupId{} : at->second;
}

void SchedulerState::join_group(PodId id, const model::Pod& pod,
                                GroupTable::Membership membership) {
  if (pod.spec->scheduling_group.empty()) return;
  const GroupId group = groups.intern(pod.meta.ns, pod.spec->scheduling_group, false);
  leaf_of[id] = group;
  groups.add_pod(group, id, membership);
}

std::string SchedulerState::check_consistency() const {
  if (auto problem = cluster.check_consistency(); !problem.empty()) return problem;
  for (const auto& [pod, group] : leaf_of) {
    const Group& entry = groups[group];
    const PodEntry& placed = cluster.pod(pod);
    const bool waiting = !placed.node.valid() && placed.object->node_name.empty();
    if (entry.pending.contains(pod) != waiting) {
      return fmt::format("pod {}: its group {} has it {}", placed.object->meta.name, entry.name,
                         waiting ? "as placed" : "as waiting");
    }
  }
  for (const Entity* entity : queue.in_order()) {
    if (!group_cache_holds(cluster, groups, leaf_of, *entity)) {
      return entity_text(groups, *entity) + " has changed since its group_cache was drawn up";
    }
  }
  return {};
}

}  // namespace tutti::core
