#include "core/topology/claim_places.h"

#include <algorithm>

#include "devices/device_state.h"

namespace tutti::core {
namespace {

std::vector<devices::ClaimId> shared_claims_of(const Cluster& cluster, PodId pod) {
  std::vector<devices::ClaimId> shared;
  if (!cluster.wants_devices(pod)) return shared;
  for (const auto& wanted : cluster.devices().claims_of(*cluster.pod(pod).object).open) {
    if (wanted.claim.valid()) shared.push_back(wanted.claim);
  }
  return shared;
}

Bitset nodes_within(const Cluster& cluster, devices::ReachId reach) {
  const auto& device_state = cluster.devices();
  Bitset nodes(cluster.nodes().slots());
  cluster.nodes().live().for_each_set([&](std::size_t i) {
    const auto node = static_cast<devices::NodeIndex>(i);
    const bool reached = device_state.inventory().is_wide(reach)
                             ? device_state.places().reaches(reach, node)
                             : device_state.places().own(node) == reach;
    if (reached) nodes.set(i);
  });
  return nodes;
}

}  // namespace

std::optional<std::vector<Bitset>> places_of_shared_claim(const Cluster& cluster,
                                                          std::span<const PodId> pods,
                                                          const Bitset* within) {
  if (pods.empty()) return std::nullopt;
  auto shared = shared_claims_of(cluster, pods.front());
  for (const PodId pod : pods.subspan(1)) {
    if (shared.empty()) return std::nullopt;
    const auto own = shared_claims_of(cluster, pod);
    std::erase_if(shared, [&](auto id) { return std::ranges::find(own, id) == own.end(); });
  }
  if (shared.empty()) return std::nullopt;
  std::vector<Bitset> places;
  for (const auto reach : cluster.devices().reach().reaches_of(shared.front())) {
    Bitset nodes = nodes_within(cluster, reach);
    if (within != nullptr) nodes.and_with(*within);
    if (nodes.any() && std::ranges::find(places, nodes) == places.end()) {
      places.push_back(std::move(nodes));
    }
  }
  return places;
}

}  // namespace tutti::core
