#include "whatif/rehearsal.h"

#include <algorithm>
#include <utility>

#include "explain/text.h"

namespace tutti::whatif {

Rehearsal::Rehearsal(core::Scheduler& scheduler, Instant now, const Asker& asker,
                     Neighbours neighbours)
    : scheduler_(scheduler),
      asker_(asker),
      neighbours_(std::move(neighbours)),
      settled_(scheduler.settled()),
      what_if_(scheduler, now) {
  core::GroupId group = asker.group;
  const model::Pod& pod = *cluster().pod(asker.pod).object;
  if (!group.valid() && !pod.spec->scheduling_group.empty()) {
    group = groups().find(pod.meta.ns, pod.spec->scheduling_group, false).value_or(group);
  }
  if (!group.valid()) {
    waiting_ = {asker.pod};
    return;
  }
  root_ = groups().root_of(group).value_or(group);
  list(root_);
}

void Rehearsal::list(core::GroupId id) {
  const core::Group& group = groups()[id];
  tree_.push_back(id);
  waiting_.insert(waiting_.end(), group.pending.begin(), group.pending.end());
  running_.insert(running_.end(), group.assumed.begin(), group.assumed.end());
  running_.insert(running_.end(), group.assigned.begin(), group.assigned.end());
  for (const core::GroupId child : group.children) {
    if (tree_.size() < groups().slots()) list(child);
  }
}

Rehearsal::Outcome Rehearsal::own(const Change& change) { return attempt(change, !settled_); }

Rehearsal::Outcome Rehearsal::around(const Change& change) { return attempt(change, true); }

Rehearsal::Outcome Rehearsal::attempt(const Change& change, bool others_first) {
  const auto before = what_if_.checkpoint();
  change(what_if_);
  Outcome outcome = what_if_.attempt({asker_.pod, asker_.group, others_first});
  what_if_.roll_back(before);
  return outcome;
}

std::optional<std::vector<std::uint32_t>> Rehearsal::fewest_to_end(
    std::span<const core::WhatIf::PodSet> sets) {
  return what_if_.fewest_to_end({asker_.pod, asker_.group}, sets);
}

std::int32_t Rehearsal::priority() const {
  if (root_.valid() && groups()[root_].seen()) return groups()[root_].priority();
  return cluster().pod(asker_.pod).object->priority.value_or(0);
}

std::span<const Rehearsal::Occupant> Rehearsal::occupants() {
  if (!occupants_.empty()) return occupants_;
  what_if_.for_each_running([&](const core::WhatIf::Running& running) {
    occupants_.push_back(
        {running.pod, running.leaf, running.facts.priority, running.leaving, running.facts.owned});
  });
  return occupants_;
}

std::int32_t Rehearsal::least_priority(const Occupant& occupant) const {
  const auto root = occupant.leaf.valid() ? groups().root_of(occupant.leaf) : std::nullopt;
  return root ? std::min(occupant.priority, groups()[*root].priority()) : occupant.priority;
}

explain::Way with_evictions(explain::Way way, const Rehearsal::Outcome& outcome) {
  if (outcome.preemption == nullptr || outcome.preemption->victims.empty()) return way;
  for (const auto& unit : outcome.preemption->victims) way.evicts.push_back(unit.name);
  way.summary += "; that evicts " + explain::first_of(way.evicts);
  return way;
}

}  // namespace tutti::whatif
