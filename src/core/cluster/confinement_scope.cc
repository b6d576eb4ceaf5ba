#include "core/cluster/confinement_scope.h"

#include "devices/device_state.h"

namespace tutti::core {

ConfinementScope::ConfinementScope(const Cluster& cluster, std::span<const PodId> pods,
                                   devices::ConfinementId to)
    : cluster_(cluster) {
  if (!to.valid()) return;
  auto& device_state = cluster.devices();
  for (const PodId pod : pods) {
    const model::Pod& object = *cluster.pod(pod).object;
    before_.emplace_back(pod, device_state.confined_pods().confinement_of(object));
    device_state.confined_pods().confine(
        object, device_state.confinements().both(before_.back().second, to));
  }
}

ConfinementScope::~ConfinementScope() {
  for (const auto& [pod, confinement] : before_) {
    cluster_.devices().confined_pods().confine(*cluster_.pod(pod).object, confinement);
  }
}

}  // namespace tutti::core
