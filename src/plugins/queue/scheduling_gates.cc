#include "plugins/queue/scheduling_gates.h"

namespace tutti::plugins {

bool SchedulingGates::worth_retrying(const core::Cluster&, const model::Pod& rejected,
                                     const core::ClusterEvent& event) const {
  return event.pod == nullptr ||
         (event.pod->meta.uid == rejected.meta.uid && event.pod->spec->scheduling_gates.empty());
}

core::PluginStatus SchedulingGates::pre_enqueue(const core::Cluster& cluster,
                                                const core::GroupTable&, core::PodId pod) const {
  const auto& gates = cluster.pod(pod).object->spec->scheduling_gates;
  if (gates.empty()) return {};
  std::string names;
  for (const auto& gate : gates) names.append(names.empty() ? "" : " ").append(gate);
  return {core::Code::unresolvable, kName, "waiting for scheduling gates: [" + names + "]"};
}

}  // namespace tutti::plugins
