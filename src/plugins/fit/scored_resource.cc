#include "plugins/fit/scored_resource.h"

namespace tutti::plugins {
namespace {

std::int64_t counted_request(const core::PodShape& shape, core::ResourceId resource,
                             MissingRequests missing) {
  if (missing == MissingRequests::count_defaults) {
    if (resource == core::kCpu) return shape.nonzero_cpu;
    if (resource == core::kMemory) return shape.nonzero_memory;
  }
  return shape.request(resource);
}

bool on_every_node(core::ResourceId resource) {
  return resource == core::kCpu || resource == core::kMemory || resource == core::kEphemeralStorage;
}

}  // namespace

std::span<const std::int64_t> ScoredResource::used(const core::Cluster& cluster) const {
  if (missing == MissingRequests::count_defaults) {
    if (resource == core::kCpu) return cluster.resources().nonzero_used_cpu();
    if (resource == core::kMemory) return cluster.resources().nonzero_used_memory();
  }
  return cluster.resources().used(resource);
}

std::vector<ScoredResource> scored_resources(const core::Cluster& cluster,
                                             const core::PodShape& shape,
                                             std::span<const core::WeightedResource> configured,
                                             MissingRequests missing) {
  std::vector<ScoredResource> scored;
  for (const auto& [name, weight] : configured) {
    const auto resource = cluster.resources().find(name);
    if (!resource) continue;
    const std::int64_t request = counted_request(shape, *resource, missing);
    if (request == 0 && !on_every_node(*resource)) continue;
    // How full its devices are is for DynamicResources to say.
    if (cluster.resources().through_devices(*resource).size() > 0) continue;
    scored.push_back({*resource, missing, request, weight});
  }
  return scored;
}

}  // namespace tutti::plugins
