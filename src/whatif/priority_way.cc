// The way that others pay for: a priority at which the asker may evict whoever is in its way.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/cluster.h"
#include "model/group.h"
#include "whatif/author.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using explain::Datum;

// Above it priorities belong to the system.
constexpr std::int32_t kHighest = 1'000'000'000;
constexpr auto kPreempts = model::PreemptionPolicy::preempt_lower_priority;

std::int32_t priority_of(const Rehearsal& rehearsal) {
  if (rehearsal.root().valid() && rehearsal.groups()[rehearsal.root()].seen()) {
    return rehearsal.groups()[rehearsal.root()].priority();
  }
  return rehearsal.cluster().pod(rehearsal.asker().pod).object->priority.value_or(0);
}

// One more than someone has who runs, ascending.
std::vector<std::int32_t> steps_above(const Rehearsal& rehearsal, std::int32_t present) {
  const core::Cluster& cluster = rehearsal.cluster();
  std::set<std::int32_t> steps;
  for (std::uint32_t slot = 0; slot < cluster.pod_slots(); ++slot) {
    const core::PodEntry& entry = cluster.pod({slot});
    if (entry.object == nullptr || !entry.node.valid()) continue;
    std::int32_t priority = entry.object->priority.value_or(0);
    const auto& group_name = entry.object->spec->scheduling_group;
    if (!group_name.empty()) {
      const auto leaf = rehearsal.groups().find(entry.object->meta.ns, group_name, false);
      const auto root = leaf ? rehearsal.groups().root_of(*leaf) : std::nullopt;
      if (root) priority = std::max(priority, rehearsal.groups()[*root].priority());
    }
    if (priority >= present && priority < kHighest) steps.insert(priority + 1);
  }
  return {steps.begin(), steps.end()};
}

void raise(const Rehearsal& rehearsal, std::int32_t priority, core::WhatIf& what_if) {
  const core::Cluster& cluster = rehearsal.cluster();
  for (const auto* pods : {&rehearsal.waiting(), &rehearsal.running()}) {
    for (const core::PodId pod : *pods) {
      auto copy = std::make_shared<model::Pod>(*cluster.pod(pod).object);
      copy->priority = priority;
      copy->preemption_policy = kPreempts;
      what_if.set_pod(std::move(copy));
    }
  }
  for (const core::GroupId id : rehearsal.tree()) {
    const core::Group& group = rehearsal.groups()[id];
    if (!group.seen()) continue;
    const auto set = [&](auto object) {
      object->spec.priority = priority;
      if (object->api_version != model::kSchedulingV1Alpha2) {
        object->spec.preemption_policy = kPreempts;
      }
      what_if.set_group(std::move(object));
    };
    if (group.composite) {
      set(std::make_shared<model::CompositePodGroup>(*group.composite_group));
    } else {
      set(std::make_shared<model::PodGroup>(*group.pod_group));
    }
  }
}

struct Level {
  std::string name;
  std::int32_t value = 0;
  bool exists = false;
};

// The lowest class there is that suffices, or one to be made.
Level level_for(const Rehearsal& rehearsal, std::int32_t least) {
  Level best{fmt::format("tutti-priority-{}", least), least, false};
  if (!rehearsal.neighbours().all) return best;
  for (const auto& object : rehearsal.neighbours().all(model::Kind::priority_class)) {
    const auto& known = model::as<model::PriorityClass>(*object);
    const bool fits = known.value >= least && known.preemption_policy == kPreempts;
    if (!fits || (best.exists && best.value <= known.value)) continue;
    best = {known.meta.name, known.value, true};
  }
  return best;
}

std::vector<explain::ObjectChange> changes_to(const Rehearsal& rehearsal, const Level& level) {
  std::vector<core::PodId> pods = rehearsal.waiting();
  pods.insert(pods.end(), rehearsal.running().begin(), rehearsal.running().end());
  const std::vector<explain::PatchStep> steps = {
      {"add", "/spec/priorityClassName", Datum::of(level.name)},
      {"add", "/spec/priority", Datum::of(std::int64_t{level.value})}};
  auto changes = change_pods(rehearsal, pods, steps);
  if (changes.empty()) return changes;
  for (explain::ObjectChange& change : changes) {
    if (change.objects.front().kind != "Pod") change.patch.pop_back();  // templates name the class
  }
  std::vector<explain::ObjectName> groups;
  for (const core::GroupId id : rehearsal.tree()) {
    const core::Group& group = rehearsal.groups()[id];
    if (!group.seen() || !owner_is_self(rehearsal, group)) continue;
    groups.push_back({group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name});
  }
  if (!groups.empty()) changes.push_back({std::move(groups), steps});
  if (!level.exists) {
    const explain::ObjectName name{"PriorityClass", "", level.name};
    const Datum manifest =
        Datum::object({{"apiVersion", Datum::of("scheduling.k8s.io/v1")},
                       {"kind", Datum::of(name.kind)},
                       {"metadata", Datum::object({{"name", Datum::of(name.name)}})},
                       {"value", Datum::of(std::int64_t{level.value})}});
    changes.insert(changes.begin(), {{name}, {}, false, manifest});
  }
  return changes;
}

}  // namespace

void add_priority_way(Rehearsal& rehearsal, Ways& ways) {
  const auto at = [&](std::int32_t priority) {
    return rehearsal.own([&](core::WhatIf& what_if) { raise(rehearsal, priority, what_if); });
  };
  const auto steps = steps_above(rehearsal, priority_of(rehearsal));
  if (steps.empty() || !at(steps.back()).runs) return;
  // More priority never evicts less, so halving finds the least.
  const auto least = std::ranges::partition_point(
      steps, [&](std::int32_t priority) { return !at(priority).runs; });
  const Level level = level_for(rehearsal, *least);
  const auto outcome = at(level.value);
  if (!outcome.runs) return;
  auto changes = changes_to(rehearsal, level);
  if (changes.empty()) return;
  const std::string made = level.exists ? "" : ", to be created";
  ways.push_back(
      with_evictions({"priority",
                      fmt::format("raise its priority to at least {} (PriorityClass {}{})", *least,
                                  level.name, made),
                      std::move(changes)},
                     outcome));
}

}  // namespace tutti::whatif
