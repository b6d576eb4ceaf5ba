#include "whatif/rehearsal.h"

#include <algorithm>
#include <map>
#include <utility>

#include "explain/verdict/text.h"
#include "whatif/change_target.h"

namespace tutti::whatif {

Rehearsal::Rehearsal(core::Scheduler& scheduler, Instant now, const Asker& asker,
                     Neighbours neighbours)
    : scheduler_(scheduler),
      asker_(asker),
      neighbours_(std::move(neighbours)),
      settled_(scheduler.settled()),
      what_if_(scheduler.rehearse(now)) {
  core::GroupId group = asker.group;
  const model::Pod& pod = *cluster().pod(asker.pod).object;
  if (!group.valid() && !pod.spec->scheduling_group.empty()) {
    group = groups().find(pod.meta.ns, pod.spec->scheduling_group, false).value_or(group);
  }
  if (!group.valid()) {
    list_siblings();
    return;
  }
  root_ = groups().root_of(group).value_or(group);
  list(root_);
}

void Rehearsal::list(core::GroupId group) {
  const core::Group& entry = groups()[group];
  tree_.push_back(group);
  waiting_.insert(waiting_.end(), entry.pending.begin(), entry.pending.end());
  running_.insert(running_.end(), entry.assumed.begin(), entry.assumed.end());
  running_.insert(running_.end(), entry.assigned.begin(), entry.assigned.end());
  for (const core::GroupId child : entry.children) {
    if (tree_.size() < groups().slots()) list(child);
  }
}

// Lists, for a pod that a controller made, everyone whom the same object made, at the top.
void Rehearsal::list_siblings() {
  waiting_ = {asker_.pod};
  const std::uint32_t own = facts(asker_.pod).maker;
  if (own == core::kNoIndex) return;
  const auto owner_of_pod = [&](core::PodId pod) {
    return owner_of(neighbours_, *cluster().pod(pod).object);
  };
  const explain::ObjectName owner = owner_of_pod(asker_.pod);
  std::map<std::uint32_t, bool> same;  // by maker
  for (std::uint32_t slot = 0; slot < cluster().pods().slots(); ++slot) {
    const core::PodId pod{slot};
    const core::PodEntry& entry = cluster().pod(pod);
    if (entry.object == nullptr || pod == asker_.pod || entry.object->terminal()) continue;
    const std::uint32_t maker = facts(pod).maker;
    if (maker == core::kNoIndex || !entry.object->spec->scheduling_group.empty()) continue;
    const auto [known, fresh] = same.try_emplace(maker, maker == own);
    if (fresh && !known->second) known->second = owner_of_pod(pod) == owner;
    if (known->second) (entry.node.valid() ? running_ : waiting_).push_back(pod);
  }
}

// Tries the change. Among several pods of one controller it changes all, and some may be ahead.
Rehearsal::Outcome Rehearsal::own(const Change& change) {
  const bool ahead = !root_.valid() && !asker_.whole && waiting_.size() > 1;
  core::WhatIf::Question asked = question();
  asked.others_first = !settled_ || ahead;
  return attempt(change, asked);
}

Rehearsal::Outcome Rehearsal::alone(const Change& change) {
  return attempt(change, {asker_.pod, asker_.group, !settled_});
}

Rehearsal::Outcome Rehearsal::around(const Change& change) { return attempt(change, question()); }

Rehearsal::Outcome Rehearsal::attempt(const Change& change, core::WhatIf::Question asked) {
  const auto before = what_if_.checkpoint();
  change(what_if_);
  Outcome outcome = what_if_.attempt(asked);
  what_if_.roll_back(before);
  return outcome;
}

std::optional<std::vector<std::uint32_t>> Rehearsal::fewest_to_end(
    std::span<const core::WhatIf::PodSet> sets) {
  return what_if_.fewest_to_end(question(), sets);
}

core::WhatIf::Question Rehearsal::question() const {
  core::WhatIf::Question asked{asker_.pod, asker_.group};
  if (asker_.whole) asked.also = std::span(waiting_).subspan(1);
  return asked;
}

std::int32_t Rehearsal::priority() const {
  if (root_.valid() && groups()[root_].seen()) return groups()[root_].priority();
  return cluster().pod(asker_.pod).object->priority.value_or(0);
}

std::span<const Rehearsal::Occupant> Rehearsal::occupants() {
  if (!occupants_.empty()) return occupants_;
  occupants_.reserve(cluster().pods().slots());
  what_if_.for_each_running([&](const core::WhatIf::Running& running) {
    occupants_.push_back({running.pod, running.node, running.leaf, running.facts.priority,
                          running.facts.maker, running.leaving, running.facts.of_node});
  });
  return occupants_;
}

std::int32_t Rehearsal::least_priority(const Occupant& occupant) const {
  const auto root = occupant.leaf.valid() ? groups().root_of(occupant.leaf) : std::nullopt;
  return root ? std::min(occupant.priority, groups()[*root].priority()) : occupant.priority;
}

explain::Way with_evictions(explain::Way way, const Rehearsal::Outcome& outcome) {
  for (const auto& report : outcome.preemptions) {
    for (const auto& unit : report->victims) way.evicts.push_back(unit.name);
  }
  if (way.evicts.empty()) return way;
  way.summary += "; that evicts " + explain::first_of(way.evicts);
  return way;
}

}  // namespace tutti::whatif
