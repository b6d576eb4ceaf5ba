#include "explain/findings/slices.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::explain {
namespace {

// A node, where it counts: first the domain of the whole, then that of a slice.
struct Place {
  std::uint32_t whole = 0;
  std::uint32_t slice = 0;
  std::uint32_t node = 0;
  auto operator<=>(const Place&) const = default;
};

// In order of their domains.
std::vector<Place> places(const core::Cluster& cluster, const Demand& demand) {
  const auto& slices = cluster.labels().domains(demand.slice_key).domain_of;
  const auto* wholes = demand.topology_key.empty()
                           ? nullptr
                           : &cluster.labels().domains(demand.topology_key).domain_of;
  std::vector<Place> made;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    const Place place{wholes == nullptr ? 0 : (*wholes)[node], slices[node],
                      static_cast<std::uint32_t>(node)};
    constexpr std::uint32_t kNone = core::DomainColumn::kNone;
    if (place.whole != kNone && place.slice != kNone) made.push_back(place);
  });
  std::ranges::sort(made);
  return made;
}

}  // namespace

std::size_t slices_needed(const Demand& demand) {
  return (demand.missing + demand.slice_size - 1) / demand.slice_size;
}

std::size_t slices_fitting(const core::Cluster& cluster, const Demand& demand) {
  const std::vector<Place> all = places(cluster, demand);
  std::vector<std::uint32_t> nodes;
  std::size_t most = 0;
  std::size_t here = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    nodes.push_back(all[i].node);
    const Place next = i + 1 < all.size() ? all[i + 1] : Place{core::DomainColumn::kNone, 0, 0};
    if (next.whole == all[i].whole && next.slice == all[i].slice) continue;
    here += members_fitting_empty(cluster, demand, nodes) / demand.slice_size;
    most = std::max(most, here);
    nodes.clear();
    if (next.whole != all[i].whole) here = 0;
  }
  return most;
}

bool slices_too_large(const core::Cluster& cluster, const Demand& demand) {
  if (demand.slice_size == 0) return false;
  const Bitset* labelled = cluster.labels().nodes_with_key(demand.slice_key);
  return labelled != nullptr && labelled->any() &&
         slices_fitting(cluster, demand) < slices_needed(demand);
}

}  // namespace tutti::explain
