// Which resources take part in a score of one class of pods, and where their figures lie.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/config.h"

namespace tutti::plugins {

// What a pod counts as when it names no cpu or memory: nothing, or kube-scheduler's assumption of
// 100m and 200Mi per container.
enum class MissingRequests : std::uint8_t { count_nothing, count_defaults };

struct ScoredResource {
  core::ResourceId resource;
  MissingRequests missing = MissingRequests::count_nothing;
  std::int64_t request = 0;
  std::int64_t weight = 1;

  std::span<const std::int64_t> allocatable(const core::Cluster& cluster) const {
    return cluster.resources().allocatable(resource);
  }
  // What the pods on the nodes ask for, by node.
  std::span<const std::int64_t> used(const core::Cluster& cluster) const;
};

// Resources no node has, and extended ones the shape does not ask for, are left out: they say
// nothing about the pod.
std::vector<ScoredResource> scored_resources(const core::Cluster& cluster,
                                             const core::PodShape& shape,
                                             std::span<const core::WeightedResource> configured,
                                             MissingRequests missing);

}  // namespace tutti::plugins
