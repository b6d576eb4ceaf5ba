// Ways for what is not even tried: gates to open, members to create.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/cluster/group_title.h"
#include "explain/verdict/text.h"
#include "model/group.h"
#include "whatif/change_target.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using core::Group;
using core::PodId;

// --- gates ---------------------------------------------------------------------------------------

// Lists gated pods. Those without a group open one by one, unless their template has the gate.
std::vector<PodId> gated(const Rehearsal& rehearsal) {
  std::span<const PodId> asking = rehearsal.waiting();
  const auto& made_here = rehearsal.neighbours().made_here;
  const bool by_template =
      made_here && made_here(*rehearsal.cluster().pod(rehearsal.asker().pod).object);
  if (!rehearsal.root().valid() && !by_template) asking = asking.first(rehearsal.together());
  std::vector<PodId> pods;
  for (const PodId pod : asking) {
    if (!rehearsal.cluster().pod(pod).object->spec->scheduling_gates.empty()) pods.push_back(pod);
  }
  return pods;
}

// "pod t/a", "the template of Job t/j", "3 pods"
std::string holders(const std::vector<explain::ObjectChange>& changes, std::size_t pods) {
  const explain::ObjectChange& first = changes.front();
  if (changes.size() > 1 || first.objects.size() > 1) return explain::counted(pods, "pod");
  const std::string name = explain::text_of(first.objects.front());
  return first.objects.front().kind == "Pod" ? name : "the template of " + name;
}

void add_gate_way(Rehearsal& rehearsal, Ways& ways) {
  const auto pods = gated(rehearsal);
  if (pods.empty()) return;
  std::set<std::string> gates;
  std::vector<std::shared_ptr<const model::Pod>> objects;
  for (const PodId pod : pods) {
    objects.push_back(rehearsal.cluster().pod(pod).object);
    const auto& of_pod = objects.back()->spec->scheduling_gates;
    gates.insert(of_pod.begin(), of_pod.end());
  }
  auto changes = change_living_pods(rehearsal, objects, {{"remove", "/spec/schedulingGates"}});
  if (changes.empty()) return;
  const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
    for (const auto& pod : objects) {
      auto copy = std::make_shared<model::Pod>(*pod);
      auto spec = std::make_shared<model::PodSpec>(*copy->spec);
      spec->scheduling_gates.clear();
      copy->spec = std::move(spec);
      what_if.set_pod(std::move(copy));
    }
  });
  if (!outcome.runs) return;
  explain::Way way{
      "removeGate",
      fmt::format("remove scheduling {} {} from {}", gates.size() == 1 ? "gate" : "gates",
                  fmt::join(gates, ", "), holders(changes, pods.size())),
      std::move(changes)};
  ways.push_back(with_evictions(std::move(way), outcome));
}

// --- members -------------------------------------------------------------------------------------

std::shared_ptr<model::Pod> another(const model::Pod& sample, std::size_t number) {
  auto pod = std::make_shared<model::Pod>(sample);
  pod->meta.name = fmt::format("{}-more-{}", sample.meta.name, number);
  pod->meta.uid = sample.meta.uid + "/" + pod->meta.name;
  pod->node_name.clear();
  pod->status = {};
  return pod;
}

// One that somebody wrote, and could write again; null: there is none.
const model::Pod* handmade_member(const Rehearsal& rehearsal, const Group& group) {
  for (const auto* members : {&group.pending, &group.assigned, &group.assumed}) {
    for (const PodId pod : *members) {
      const model::Pod& object = *rehearsal.cluster().pod(pod).object;
      if (is_handmade(object)) return &object;
    }
  }
  return nullptr;
}

// Pods of a gang that do not exist yet, made like one that does.
void add_members_way(Rehearsal& rehearsal, Ways& ways) {
  if (!rehearsal.root().valid() || !rehearsal.groups()[rehearsal.root()].seen()) return;
  for (const core::GroupId id : rehearsal.tree()) {
    const Group& group = rehearsal.groups()[id];
    if (group.composite || !group.seen() || !group.spec().policy.gang) continue;
    const auto minimum = static_cast<std::size_t>(group.spec().policy.minimum);
    if (group.pod_count() == 0 || group.pod_count() >= minimum) continue;
    const std::size_t missing = minimum - group.pod_count();
    const model::Pod* found = handmade_member(rehearsal, group);
    if (found == nullptr) continue;
    const model::Pod& sample = *found;
    const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
      for (std::size_t i = 1; i <= missing; ++i) what_if.set_pod(another(sample, i));
    });
    if (!outcome.runs) continue;
    const explain::ObjectName like{"Pod", sample.meta.ns, sample.meta.name};
    const std::string whose =
        is_handmade(rehearsal, group) ? " of " + core::title_of(group) + "," : "";
    explain::Way way{"createPods",
                     fmt::format("create {} more {}{} like {}", missing,
                                 missing == 1 ? "pod" : "pods", whose, explain::text_of(like)),
                     {{.objects = {like}, .copies = missing}}};
    ways.push_back(with_evictions(std::move(way), outcome));
  }
}

}  // namespace

void add_held_ways(Rehearsal& rehearsal, Ways& ways) {
  add_gate_way(rehearsal, ways);
  add_members_way(rehearsal, ways);
}

}  // namespace tutti::whatif
