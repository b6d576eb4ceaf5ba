// The way that others pay for: a priority at which the asker may evict whoever is in its way.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/cluster.h"
#include "model/group.h"
#include "whatif/change_target.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using explain::Datum;

// Above it priorities belong to the system.
constexpr std::int32_t kHighest = 1'000'000'000;
constexpr std::string_view kSystemClasses = "system-";
constexpr auto kPreempts = model::PreemptionPolicy::preempt_lower_priority;

bool may_not_evict(const Rehearsal& rehearsal) {
  const auto& pod = *rehearsal.cluster().pod(rehearsal.asker().pod).object;
  return !rehearsal.root().valid() && pod.preemption_policy == model::PreemptionPolicy::never;
}

// One more than someone has who runs, or whom room is kept for, ascending. Before them the present
// one, for a pod that only its preemptionPolicy keeps from evicting others.
std::vector<std::int32_t> steps_above(Rehearsal& rehearsal, std::int32_t present) {
  std::set<std::int32_t> steps;
  if (may_not_evict(rehearsal) && present < kHighest) steps.insert(present);
  const auto add = [&](std::int32_t priority) {
    if (priority >= present && priority < kHighest) steps.insert(priority + 1);
  };
  for (const std::int32_t priority : rehearsal.priorities_with_room_kept()) add(priority);
  for (const Rehearsal::Occupant& occupant : rehearsal.occupants()) {
    std::int32_t priority = occupant.priority;
    if (occupant.leaf.valid()) {
      const auto root = rehearsal.groups().root_of(occupant.leaf);
      if (root) priority = std::max(priority, rehearsal.groups()[*root].priority());
    }
    add(priority);
  }
  return {steps.begin(), steps.end()};
}

// Whether the group's priority is written with that of its pods. A controller's groups follow the
// template with the pods, but for those of the first version: made of a Job by its shape, or of
// pods that name their gang in others' words, a group has no priority.
bool is_raised(const Rehearsal& rehearsal, const core::Group& group) {
  if (!group.seen()) return false;
  const Origin origin = origin_of(rehearsal, group);
  if (origin.follows_pods || !origin.priority.path.empty()) return true;
  if (is_handmade(rehearsal, group)) return true;
  const bool follows =
      group.composite || group.pod_group->api_version != model::kSchedulingV1Alpha2;
  return follows && !is_handmade(*rehearsal.cluster().pod(rehearsal.asker().pod).object);
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
    if (!is_raised(rehearsal, group)) continue;
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
    const bool fits = known.value >= least && known.preemption_policy == kPreempts &&
                      !known.meta.name.starts_with(kSystemClasses);
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
    if (change.objects.front().kind != "Pod") {
      change.patch.pop_back();  // templates name the class
    } else if (may_not_evict(rehearsal)) {
      change.patch.push_back({"add", "/spec/preemptionPolicy", Datum::of("PreemptLowerPriority")});
    }
  }
  std::vector<explain::ObjectName> groups;
  for (const core::GroupId id : rehearsal.tree()) {
    const core::Group& group = rehearsal.groups()[id];
    if (!group.seen()) continue;
    const Origin origin = origin_of(rehearsal, group);
    if (!origin.priority.path.empty()) {
      changes.push_back({{origin.object}, {step_to(origin.priority, Datum::of(level.name))}});
    } else if (is_handmade(rehearsal, group)) {
      groups.push_back({group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name});
    }
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

// The asker at one priority after another; no question is asked twice.
class Ladder {
 public:
  explicit Ladder(Rehearsal& rehearsal)
      : rehearsal_(rehearsal), steps_(steps_above(rehearsal, rehearsal.priority())) {}

  const Rehearsal::Outcome& at(std::int32_t priority) {
    const auto [known, fresh] = outcomes_.try_emplace(priority);
    if (fresh) {
      known->second =
          rehearsal_.own([&](core::WhatIf& what_if) { raise(rehearsal_, priority, what_if); });
    }
    return known->second;
  }

  // The lowest step that suffices. More priority never evicts less, so halving finds it, after
  // counting has ruled out the steps at which too few could be evicted.
  std::optional<std::int32_t> lowest() {
    const auto first = std::ranges::partition_point(
        steps_, [&](std::int32_t priority) { return !Headroom(rehearsal_, priority).suffices(); });
    if (first == steps_.end()) return std::nullopt;
    if (at(*first).runs) return *first;
    if (!at(steps_.back()).runs) return std::nullopt;
    return *std::partition_point(first + 1, steps_.end(),
                                 [&](std::int32_t priority) { return !at(priority).runs; });
  }

 private:
  Rehearsal& rehearsal_;
  std::vector<std::int32_t> steps_;
  std::map<std::int32_t, Rehearsal::Outcome> outcomes_;
};

}  // namespace

void add_priority_way(Rehearsal& rehearsal, Ways& ways) {
  if (rehearsal.too_many_for_others()) return;
  Ladder ladder(rehearsal);
  const auto least = ladder.lowest();
  if (!least) return;
  const Level level = level_for(rehearsal, *least);
  const auto& outcome = ladder.at(level.value);
  if (!outcome.runs) return;
  auto changes = changes_to(rehearsal, level);
  if (changes.empty()) return;
  const std::string made = level.exists ? "" : ", to be created";
  ways.push_back(
      with_evictions({"priority",
                      *least == rehearsal.priority() && may_not_evict(rehearsal)
                          ? fmt::format("let it evict others, whose preemptionPolicy is Never now "
                                        "(PriorityClass {}{})",
                                        level.name, made)
                          : fmt::format("raise its priority to at least {} (PriorityClass {}{})",
                                        *least, level.name, made),
                      std::move(changes)},
                     outcome));
}

}  // namespace tutti::whatif
