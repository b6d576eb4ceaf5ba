#include "plugins/fit/resources_fit.h"

#include <algorithm>

#include "plugins/fit/column_math.h"
#include "plugins/fit/fit_filter.h"

namespace tutti::plugins {
namespace {

// Resources of Kubernetes itself have no prefix, or one under kubernetes.io.
bool extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos;
}

std::string_view prefix(std::string_view resource) {
  return resource.substr(0, resource.find('/'));
}

bool asked_for(const core::Cluster& cluster, std::span<const core::ProposedPod> pods,
               core::ResourceId resource) {
  return std::ranges::any_of(pods, [&](const core::ProposedPod& proposed) {
    return cluster.shape(cluster.pod(proposed.pod).shape).request(resource) > 0;
  });
}

struct Totals {
  std::int64_t allocatable = 0;
  std::int64_t used = 0;
};
Totals totals(const core::Cluster& cluster, const ScoredResource& resource, const Bitset& nodes) {
  const auto allocatable = resource.allocatable(cluster);
  const auto used = resource.used(cluster);
  Totals sums;
  nodes.for_each_set([&](std::size_t node) {
    if (allocatable[node] <= 0) return;
    sums.allocatable = sum_or_limit(sums.allocatable, allocatable[node]);
    sums.used = sum_or_limit(sums.used, used[node]);
  });
  return sums;
}

}  // namespace

ResourcesFit::ResourcesFit(core::FitArgs args)
    : args_(std::move(args)), curve_(utilization_curve(args_.shape)) {}

core::EventKind ResourcesFit::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_allocatable | pod_removed | pod_updated | devices;
}

bool ResourcesFit::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                  const core::ClusterEvent& event) const {
  // Among changes that concern devices, only those of a class can stand for a resource.
  if (core::has(event.kinds, core::EventKind::devices) &&
      event.object->kind != model::Kind::device_class) {
    return false;
  }
  const auto pod = cluster.pods().find(rejected.meta.uid);
  const bool own_update = event.pod != nullptr && event.pod->meta.uid == rejected.meta.uid;
  if (own_update || !pod || !event.node.valid()) return true;
  if (!cluster.nodes().live().test(event.node.index)) return false;
  return FitFilter(cluster, examined(cluster, cluster.shape(cluster.pod(*pod).shape)))
      .accepts(event.node);
}

bool ResourcesFit::ignored(std::string_view resource) const {
  if (!extended(resource)) return false;
  return std::ranges::find(args_.ignored_resources, resource) != args_.ignored_resources.end() ||
         std::ranges::find(args_.ignored_groups, prefix(resource)) != args_.ignored_groups.end();
}

std::vector<core::ResourceAmount> ResourcesFit::examined(const core::Cluster& cluster,
                                                         const core::PodShape& shape) const {
  std::vector<core::ResourceAmount> requests = shape.requests;
  std::erase_if(requests, [&](const core::ResourceAmount& asked) {
    return ignored(cluster.resources().name(asked.resource));
  });
  return requests;
}

core::Prepared<core::FilterEvaluator> ResourcesFit::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  return core::Prepared<core::FilterEvaluator>::ready(
      std::make_unique<FitFilter>(cluster, examined(cluster, cluster.shape(pods.shape))));
}

core::Prepared<core::ScoreEvaluator> ResourcesFit::prepare_score(const core::Cluster& cluster,
                                                                 const core::PodClass& pods) const {
  auto resources = scored_resources(cluster, cluster.shape(pods.shape), args_.resources,
                                    MissingRequests::count_defaults);
  if (resources.empty()) return core::Prepared<core::ScoreEvaluator>::skip();
  return core::Prepared<core::ScoreEvaluator>::ready(
      std::make_unique<AllocationScore>(cluster, args_.strategy, curve_, std::move(resources)));
}

std::int64_t ResourcesFit::score(const core::Cluster& cluster, const core::GroupTable&,
                                 core::GroupId, const core::Placement& placement,
                                 std::span<const core::ProposedPod> proposed) const {
  return fullness(
      cluster, placement,
      [&](core::ResourceId resource) { return asked_for(cluster, proposed, resource); },
      [](core::ResourceId) { return std::int64_t{0}; });
}

std::optional<std::int64_t> ResourcesFit::foresee(const core::Cluster& cluster,
                                                  const core::GroupTable&, core::GroupId,
                                                  const core::Placement& placement,
                                                  core::PodId sample, std::size_t count) const {
  const core::PodShape& shape = cluster.shape(cluster.pod(sample).shape);
  return fullness(
      cluster, placement, [&](core::ResourceId resource) { return shape.request(resource) > 0; },
      [&](core::ResourceId resource) {
        const std::int64_t each = resource == core::kCpu      ? shape.nonzero_cpu
                                  : resource == core::kMemory ? shape.nonzero_memory
                                                              : shape.request(resource);
        return each * static_cast<std::int64_t>(count);
      });
}

// How full the placement is, in percent, with `more` of each resource in use; extended resources
// take part if they are `wanted`.
std::int64_t ResourcesFit::fullness(
    const core::Cluster& cluster, const core::Placement& placement,
    const std::function<bool(core::ResourceId)>& wanted,
    const std::function<std::int64_t(core::ResourceId)>& more) const {
  std::int64_t total = 0;
  std::int64_t weights = 0;
  for (const auto& [name, weight] : args_.resources) {
    const auto resource = cluster.resources().find(name);
    if (!resource) continue;
    if (extended(name) && !wanted(*resource)) continue;
    if (cluster.resources().through_devices(*resource).size() > 0) continue;
    const Totals sums =
        totals(cluster, {*resource, MissingRequests::count_defaults, 0, weight}, placement.nodes);
    if (sums.allocatable <= 0) continue;
    const std::int64_t used = sum_or_limit(sums.used, more(*resource));
    total += weight * percent(std::min(used, sums.allocatable), sums.allocatable);
    weights += weight;
  }
  return weights == 0 ? 0 : total / weights;
}

}  // namespace tutti::plugins
