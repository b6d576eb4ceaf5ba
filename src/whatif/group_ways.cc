// Ways that change a group: a smaller minimum, a wider topology level, none at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "explain/verdict/text.h"
#include "model/topology.h"
#include "whatif/change_target.h"
#include "whatif/largest_that_works.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using core::Group;
using core::GroupId;
using explain::Datum;
using explain::PatchStep;

explain::ObjectName name_of(const Group& group) {
  return {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name};
}

model::ObjectPtr changed(const Group& group, const std::function<void(model::GroupSpec&)>& edit) {
  if (group.composite) {
    auto copy = std::make_shared<model::CompositePodGroup>(*group.composite_group);
    edit(copy->spec);
    return copy;
  }
  auto copy = std::make_shared<model::PodGroup>(*group.pod_group);
  edit(copy->spec);
  return copy;
}

// Whether a change of the group itself lasts. What stands behind it may be unknown; of a kind whose
// fields are not known, a change would be undone.
bool is_writable(const Rehearsal& rehearsal, const Group& group) {
  return !rehearsal.neighbours().find || is_handmade(rehearsal, group);
}

// Who is named as the one to be changed.
explain::ObjectName subject(const Origin& origin, const Group& group) {
  return origin.of == Origin::Of::object ? origin.object : name_of(group);
}

// --- minCount ------------------------------------------------------------------------------------

// The field that holds the group's minimum; empty: it is nobody's to change.
Origin::Field minimum_field(const Rehearsal& rehearsal, const Origin& origin, const Group& group) {
  if (origin.of != Origin::Of::itself) return origin.minimum;
  if (!is_writable(rehearsal, group)) return {};
  const std::string name = group.composite ? "minGroupCount" : "minCount";
  return {{"spec", "schedulingPolicy", "gang", name}, 4};
}

std::vector<explain::ObjectChange> minimum_changes(const Rehearsal& rehearsal, const Origin& origin,
                                                   const Origin::Field& field, const Group& group,
                                                   std::int64_t value) {
  if (origin.of != Origin::Of::pods) {
    return {{{subject(origin, group)}, {step_to(field, Datum::of(value))}}};
  }
  const PatchStep step = step_to(field, Datum::of(std::to_string(value)));
  return change_living_pods(rehearsal, origin.pods, {step});
}

// "minAvailable of PyTorchJob t/p"
std::string minimum_text(const Origin& origin, const Origin::Field& field, const Group& group) {
  if (origin.of != Origin::Of::pods) {
    return fmt::format("{} of {}", field.path.back(), explain::text_of(subject(origin, group)));
  }
  return fmt::format("annotation {} of {}", field.path.back(),
                     explain::counted(origin.pods.size(), "pod"));
}

// The largest minimum below the present one with which the asker runs, in steps of so many pods; 0:
// none. A placement of many members serves a smaller minimum, too, so halving finds it.
std::int32_t largest_minimum(Rehearsal& rehearsal, const Headroom& headroom, GroupId id,
                             std::int32_t step, Rehearsal::Outcome& best) {
  const Group& group = rehearsal.groups()[id];
  const auto works = [&](std::int32_t steps) {
    const auto object =
        changed(group, [&](model::GroupSpec& spec) { spec.policy.minimum = steps * step; });
    auto outcome = rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(object); });
    const bool runs = outcome.runs;
    if (runs) best = std::move(outcome);
    return runs;
  };
  const std::int32_t smaller = (group.spec().policy.minimum - 1) / step;
  if (group.composite || id != rehearsal.root()) {
    return largest_that_works(1, smaller, works) * step;
  }
  const std::int64_t most =
      headroom.members_within(headroom.key()) + static_cast<std::int64_t>(group.scheduled_count());
  const auto bound = static_cast<std::int32_t>(std::min<std::int64_t>(smaller, most / step));
  return largest_up_to(1, bound, works) * step;
}

void add_minimum_way(Rehearsal& rehearsal, const Headroom& headroom, GroupId id, Ways& ways) {
  const Group& group = rehearsal.groups()[id];
  const Origin origin = origin_of(rehearsal, group);
  const Origin::Field field = minimum_field(rehearsal, origin, group);
  if (field.path.empty()) return;
  Rehearsal::Outcome outcome;
  const std::int32_t best = largest_minimum(rehearsal, headroom, id, origin.pods_each, outcome);
  if (best == 0) return;
  const auto written = [&](std::int32_t pods) {
    return std::int64_t{pods + origin.beyond} / origin.pods_each;
  };
  auto changes = minimum_changes(rehearsal, origin, field, group, written(best));
  if (changes.empty()) return;
  explain::Way way{"minCount",
                   fmt::format("lower {} from {} to {}", minimum_text(origin, field, group),
                               written(group.spec().policy.minimum), written(best)),
                   std::move(changes)};
  ways.push_back(with_evictions(std::move(way), outcome));
}

// --- topology ------------------------------------------------------------------------------------

// Wider levels, nearest first: of a Topology that has the key, or else what every cloud labels.
std::vector<std::string> wider_keys(const core::Cluster& cluster, const std::string& key) {
  for (const auto& [name, object] : cluster.objects(model::Kind::topology)) {
    const auto& levels = model::as<model::Topology>(*object).levels;
    const auto at = std::ranges::find(levels, key);
    if (at == levels.end()) continue;
    return {std::make_reverse_iterator(at), levels.rend()};
  }
  constexpr std::array<std::string_view, 2> kUsual = {"topology.kubernetes.io/zone",
                                                      "topology.kubernetes.io/region"};
  std::vector<std::string> keys;
  if (key == kUsual[1]) return keys;
  for (const std::string_view usual : kUsual) {
    if (usual != key && cluster.labels().nodes_with_key(usual) != nullptr) keys.emplace_back(usual);
  }
  return keys;
}

Rehearsal::Outcome with_key(Rehearsal& rehearsal, GroupId id, const std::string& key) {
  const auto object =
      changed(rehearsal.groups()[id], [&](model::GroupSpec& spec) { spec.topology_key = key; });
  return rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(object); });
}

// The group's schedulingConstraints; empty: they are nobody's to change.
std::string constraints_of(const Rehearsal& rehearsal, const Origin& origin, const Group& group) {
  if (origin.of == Origin::Of::itself) {
    return is_writable(rehearsal, group) ? "/spec/schedulingConstraints" : "";
  }
  return origin.topology;
}

explain::ObjectChange topology_change(const explain::ObjectName& whose,
                                      const std::string& constraints, const std::string& key) {
  if (key.empty()) return {{whose}, {{"remove", constraints}}};
  return {{whose}, {{"replace", constraints + "/topology/0/key", Datum::of(key)}}};
}

void add_group_topology(Rehearsal& rehearsal, const Headroom& headroom, GroupId id, Ways& ways) {
  const Group& group = rehearsal.groups()[id];
  const std::string key = group.spec().topology_key;
  if (key.empty() || headroom.members_within("") < headroom.needed()) return;
  const Origin origin = origin_of(rehearsal, group);
  const std::string constraints = constraints_of(rehearsal, origin, group);
  if (constraints.empty()) return;
  const auto anywhere = with_key(rehearsal, id, "");
  if (!anywhere.runs) return;
  const explain::ObjectName whose = subject(origin, group);
  const std::string name = explain::text_of(whose);
  for (const std::string& wider : wider_keys(rehearsal.cluster(), key)) {
    if (id == rehearsal.root() && headroom.members_within(wider) < headroom.needed()) continue;
    const auto outcome = with_key(rehearsal, id, wider);
    if (!outcome.runs) continue;
    explain::Way way{"widenTopology",
                     fmt::format("keep {} within one domain of {} instead of {}", name, wider, key),
                     {topology_change(whose, constraints, wider)}};
    ways.push_back(with_evictions(std::move(way), outcome));
    break;
  }
  explain::Way way{"dropTopology",
                   fmt::format("drop the topology constraint {} of {}", key, name),
                   {topology_change(whose, constraints, "")}};
  ways.push_back(with_evictions(std::move(way), anywhere));
}

// --- topology in the annotations of pods ---------------------------------------------------------

constexpr std::array<std::string_view, 2> kRequired = {"kueue.x-k8s.io/podset-required-topology",
                                                       ""};
constexpr std::array<std::string_view, 2> kSlices = {
    "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-size"};

void add_annotated_topology(Rehearsal& rehearsal, const std::array<std::string_view, 2>& names,
                            Ways& ways) {
  const core::Cluster& cluster = rehearsal.cluster();
  const model::Pod& sample = *cluster.pod(rehearsal.asker().pod).object;
  const std::string* key = model::find(sample.meta.annotations, names[0]);
  if (key == nullptr) return;
  std::vector<core::PodId> pods = rehearsal.waiting();
  pods.insert(pods.end(), rehearsal.running().begin(), rehearsal.running().end());
  const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
    for (const core::PodId pod : pods) {
      auto copy = std::make_shared<model::Pod>(*cluster.pod(pod).object);
      std::erase_if(copy->meta.annotations.edit(), [&](const auto& annotation) {
        return annotation.first == names[0] || annotation.first == names[1];
      });
      what_if.set_pod(std::move(copy));
    }
  });
  if (!outcome.runs) return;
  std::vector<PatchStep> steps;
  for (const std::string_view name : names) {
    if (model::find(sample.meta.annotations, name) == nullptr) continue;
    steps.push_back({"remove", "/metadata/annotations/" + pointer_part(name)});
  }
  auto changes = change_pods(rehearsal, pods, steps);
  if (changes.empty()) return;
  explain::Way way{"dropTopology", fmt::format("remove annotation {}: {}", names[0], *key),
                   std::move(changes)};
  ways.push_back(with_evictions(std::move(way), outcome));
}

}  // namespace

void add_minimum_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  for (const GroupId id : rehearsal.tree()) {
    const Group& group = rehearsal.groups()[id];
    if (group.seen() && group.spec().policy.gang) add_minimum_way(rehearsal, headroom, id, ways);
  }
}

void add_topology_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  for (const GroupId id : rehearsal.tree()) {
    if (rehearsal.groups()[id].seen()) add_group_topology(rehearsal, headroom, id, ways);
  }
  if (!rehearsal.root().valid() || !headroom.suffices()) return;
  add_annotated_topology(rehearsal, kRequired, ways);
  add_annotated_topology(rehearsal, kSlices, ways);
}

}  // namespace tutti::whatif
