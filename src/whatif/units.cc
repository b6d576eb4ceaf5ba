#include "whatif/units.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "whatif/author.h"

namespace tutti::whatif {
namespace {

using core::GroupId;
using core::PodId;

// The root of the tree that the pod falls with, if it falls with one.
std::optional<GroupId> falls_with(const core::GroupTable& groups, const model::Pod& pod) {
  if (pod.spec->scheduling_group.empty()) return std::nullopt;
  const auto leaf = groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (!leaf) return std::nullopt;
  const auto root = groups.root_of(*leaf);
  if (!root) return std::nullopt;
  const bool gang = groups[*root].composite || groups[*root].spec().policy.gang;
  return gang ? root : std::nullopt;
}

bool belongs_to_node(const model::Pod& pod) {
  return std::ranges::any_of(pod.meta.owners, [](const auto& owner) {
    return owner.controller && (owner.kind == "DaemonSet" || owner.kind == "Node");
  });
}

std::string unit_name(const Rehearsal& rehearsal, const model::Pod& pod,
                      const explain::ObjectName& owner) {
  const auto root = falls_with(rehearsal.groups(), pod);
  if (owner.kind != "Pod" || !root) return explain::text_of(owner);
  const core::Group& group = rehearsal.groups()[*root];
  return explain::text_of(
      {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name});
}

}  // namespace

std::vector<Unit> units_around(const Rehearsal& rehearsal) {
  const core::Cluster& cluster = rehearsal.cluster();
  std::set<PodId> own(rehearsal.waiting().begin(), rehearsal.waiting().end());
  own.insert(rehearsal.running().begin(), rehearsal.running().end());
  std::map<std::string, Unit> units;
  for (std::uint32_t slot = 0; slot < cluster.pod_slots(); ++slot) {
    const PodId id{slot};
    const core::PodEntry& entry = cluster.pod(id);
    if (entry.object == nullptr || own.contains(id) || entry.object->meta.deletion ||
        belongs_to_node(*entry.object)) {
      continue;
    }
    const auto owner = owner_of(rehearsal.neighbours(), *entry.object);
    Unit& unit = units[unit_name(rehearsal, *entry.object, owner)];
    if (entry.node.valid()) {
      unit.pods.insert(unit.pods.begin() + static_cast<std::ptrdiff_t>(unit.running++), id);
    } else {
      unit.pods.push_back(id);
    }
    // A controller is a unit of its own, so it is listed once; bare pods are each listed.
    if (owner.kind == "Pod" || unit.end.empty()) unit.end.push_back(owner);
  }
  std::vector<Unit> made;
  for (auto& [name, unit] : units) {
    if (unit.running == 0) continue;
    unit.name = name;
    std::ranges::sort(unit.end, {}, &explain::ObjectName::name);
    made.push_back(std::move(unit));
  }
  return made;
}

}  // namespace tutti::whatif
