// Ways that change a group: a smaller minimum, a wider topology level, none at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "model/topology.h"
#include "whatif/author.h"
#include "whatif/halving.h"
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

// The Job that made the group, if one did.
std::shared_ptr<const model::Job> job_of(const Rehearsal& rehearsal, const Group& group) {
  if (group.composite) return nullptr;
  return job_of(rehearsal.neighbours(), *group.pod_group);
}

// Whether a change of the group lasts. What stands behind it may be unknown; of a kind whose fields
// are not known, a change would be undone.
bool is_writable(const Rehearsal& rehearsal, const Group& group) {
  return !rehearsal.neighbours().find || owner_is_self(rehearsal, group) ||
         job_of(rehearsal, group) != nullptr;
}

// --- minCount ------------------------------------------------------------------------------------

explain::ObjectChange minimum_change(const Rehearsal& rehearsal, const Group& group,
                                     std::int32_t minimum) {
  if (const auto job = job_of(rehearsal, group)) {
    const std::vector<explain::ObjectName> name = {{"Job", job->meta.ns, job->meta.name}};
    if (job->scheduling) {
      return {name,
              {{"add", "/spec/scheduling/schedulingPolicy/gang/minCount",
                Datum::of(std::int64_t{minimum})}}};
    }
    const Datum gang = Datum::object({{"minCount", Datum::of(std::int64_t{minimum})}});
    return {name,
            {{"add", "/spec/scheduling",
              Datum::object({{"schedulingPolicy", Datum::object({{"gang", gang}})}})}}};
  }
  const std::string field = group.composite ? "minGroupCount" : "minCount";
  return {{name_of(group)},
          {{"replace", "/spec/schedulingPolicy/gang/" + field, Datum::of(std::int64_t{minimum})}}};
}

// The largest minimum below the present one with which the asker runs; 0: none. A placement of many
// members serves a smaller minimum, too, so halving finds it.
std::int32_t largest_minimum(Rehearsal& rehearsal, const Headroom& headroom, GroupId id,
                             Rehearsal::Outcome& best) {
  const Group& group = rehearsal.groups()[id];
  const auto works = [&](std::int32_t minimum) {
    const auto object =
        changed(group, [&](model::GroupSpec& spec) { spec.policy.minimum = minimum; });
    auto outcome = rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(object); });
    const bool runs = outcome.runs;
    if (runs) best = std::move(outcome);
    return runs;
  };
  const std::int32_t smaller = group.spec().policy.minimum - 1;
  if (group.composite || id != rehearsal.root()) return largest_that_works(1, smaller, works);
  const std::int64_t most =
      headroom.members_within(headroom.key()) + static_cast<std::int64_t>(group.scheduled_count());
  return largest_up_to(1, static_cast<std::int32_t>(std::min<std::int64_t>(smaller, most)), works);
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
    if (usual != key && cluster.nodes_with_key(usual) != nullptr) keys.emplace_back(usual);
  }
  return keys;
}

Rehearsal::Outcome with_key(Rehearsal& rehearsal, GroupId id, const std::string& key) {
  const auto object =
      changed(rehearsal.groups()[id], [&](model::GroupSpec& spec) { spec.topology_key = key; });
  return rehearsal.own([&](core::WhatIf& what_if) { what_if.set_group(object); });
}

explain::ObjectChange topology_change(const Rehearsal& rehearsal, const Group& group,
                                      const std::string& key) {
  explain::ObjectChange change{{name_of(group)}};
  std::string path = "/spec/schedulingConstraints";
  if (const auto job = job_of(rehearsal, group); job != nullptr && job->scheduling) {
    change.objects = {{"Job", job->meta.ns, job->meta.name}};
    path = "/spec/scheduling/schedulingConstraints";
  }
  if (key.empty()) {
    change.patch.push_back({"remove", path});
  } else {
    change.patch.push_back({"replace", path + "/topology/0/key", Datum::of(key)});
  }
  return change;
}

void add_group_topology(Rehearsal& rehearsal, const Headroom& headroom, GroupId id, Ways& ways) {
  const Group& group = rehearsal.groups()[id];
  const std::string key = group.spec().topology_key;
  if (key.empty() || headroom.members_within("") < headroom.needed()) return;
  const auto anywhere = with_key(rehearsal, id, "");
  if (!anywhere.runs) return;
  const std::string name = explain::text_of(name_of(group));
  for (const std::string& wider : wider_keys(rehearsal.cluster(), key)) {
    if (id == rehearsal.root() && headroom.members_within(wider) < headroom.needed()) continue;
    const auto outcome = with_key(rehearsal, id, wider);
    if (!outcome.runs) continue;
    explain::Way way{"widenTopology",
                     fmt::format("keep {} within one domain of {} instead of {}", name, wider, key),
                     {topology_change(rehearsal, group, wider)}};
    ways.push_back(with_evictions(std::move(way), outcome));
    break;
  }
  explain::Way way{"dropTopology",
                   fmt::format("drop the topology constraint {} of {}", key, name),
                   {topology_change(rehearsal, group, "")}};
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
    if (!group.seen() || !group.spec().policy.gang || !is_writable(rehearsal, group)) continue;
    Rehearsal::Outcome outcome;
    const std::int32_t best = largest_minimum(rehearsal, headroom, id, outcome);
    if (best == 0) continue;
    explain::Way way{
        "minCount",
        fmt::format("lower {} of {} from {} to {}", group.composite ? "minGroupCount" : "minCount",
                    explain::text_of(name_of(group)), group.spec().policy.minimum, best),
        {minimum_change(rehearsal, group, best)}};
    ways.push_back(with_evictions(std::move(way), outcome));
  }
}

void add_topology_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  for (const GroupId id : rehearsal.tree()) {
    const Group& group = rehearsal.groups()[id];
    if (group.seen() && is_writable(rehearsal, group)) {
      add_group_topology(rehearsal, headroom, id, ways);
    }
  }
  if (!rehearsal.root().valid() || !headroom.suffices()) return;
  add_annotated_topology(rehearsal, kRequired, ways);
  add_annotated_topology(rehearsal, kSlices, ways);
}

}  // namespace tutti::whatif
