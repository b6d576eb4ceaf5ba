// Ways for what is not even tried: gates to open, members to create.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "explain/text.h"
#include "model/group.h"
#include "whatif/author.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using core::Group;
using core::PodId;

// --- gates ---------------------------------------------------------------------------------------

// Of pods without a group each opens for itself.
std::vector<PodId> gated(const Rehearsal& rehearsal) {
  std::span<const PodId> asking = rehearsal.waiting();
  if (!rehearsal.root().valid()) asking = asking.first(rehearsal.together());
  std::vector<PodId> pods;
  for (const PodId pod : asking) {
    if (!rehearsal.cluster().pod(pod).object->spec->scheduling_gates.empty()) pods.push_back(pod);
  }
  return pods;
}

void add_gate_way(Rehearsal& rehearsal, Ways& ways) {
  const auto pods = gated(rehearsal);
  if (pods.empty()) return;
  std::set<std::string> gates;
  explain::ObjectChange change{{}, {{"remove", "/spec/schedulingGates"}}};
  for (const PodId pod : pods) {
    const model::Pod& object = *rehearsal.cluster().pod(pod).object;
    gates.insert(object.spec->scheduling_gates.begin(), object.spec->scheduling_gates.end());
    change.objects.push_back({"Pod", object.meta.ns, object.meta.name});
  }
  const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
    for (const PodId pod : pods) {
      auto copy = std::make_shared<model::Pod>(*rehearsal.cluster().pod(pod).object);
      auto spec = std::make_shared<model::PodSpec>(*copy->spec);
      spec->scheduling_gates.clear();
      copy->spec = std::move(spec);
      what_if.set_pod(std::move(copy));
    }
  });
  if (!outcome.runs) return;
  const std::string whose = pods.size() == 1 ? explain::text_of(change.objects.front())
                                             : explain::counted(pods.size(), "pod");
  explain::Way way{"removeGate",
                   fmt::format("remove scheduling {} {} from {}",
                               gates.size() == 1 ? "gate" : "gates", fmt::join(gates, ", "), whose),
                   {std::move(change)}};
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

// Requires that there is one.
PodId some_member(const Group& group) {
  for (const auto* members : {&group.pending, &group.assigned, &group.assumed}) {
    if (!members->empty()) return *members->begin();
  }
  return {};
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
    const model::Pod& sample = *rehearsal.cluster().pod(some_member(group)).object;
    const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
      for (std::size_t i = 1; i <= missing; ++i) what_if.set_pod(another(sample, i));
    });
    if (!outcome.runs) continue;
    const explain::ObjectName like{"Pod", sample.meta.ns, sample.meta.name};
    explain::Way way{
        "createPods",
        fmt::format("create {} more {} of PodGroup {}/{}, like {}", missing,
                    missing == 1 ? "pod" : "pods", group.ns, group.name, explain::text_of(like)),
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
