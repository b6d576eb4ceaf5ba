#include "plugins/fit/allocation_score.h"

#include <algorithm>

#include "base/check.h"
#include "plugins/fit/blocks.h"
#include "plugins/fit/column_math.h"

namespace tutti::plugins {
namespace {

using core::FitArgs;

// Each strategy exists twice: in integers for one node, in doubles for blocks. `wanted` includes
// the pod; `capacity` is positive; shares are whole numbers 0..100.
struct LeastAllocated {
  std::int64_t share(std::int64_t wanted, std::int64_t capacity) const {
    return wanted > capacity ? 0 : percent(capacity - wanted, capacity);
  }
  double share(double wanted, double capacity) const {
    return truncated(larger(capacity - wanted, 0.0) * 100.0 / capacity);
  }
  static bool counts(std::int64_t) { return true; }
  static double counts(double) { return 1.0; }
  static std::int64_t mean(std::int64_t total, std::int64_t weights) { return total / weights; }
  static double mean(double total, double weights) { return total / weights; }
};

struct MostAllocated : LeastAllocated {
  std::int64_t share(std::int64_t wanted, std::int64_t capacity) const {
    return percent(std::min(wanted, capacity), capacity);
  }
  double share(double wanted, double capacity) const {
    return truncated(smaller(wanted, capacity) * 100.0 / capacity);
  }
};

// Resources whose share is zero do not take part, and the mean is rounded to the nearest.
struct RequestedToCapacityRatio {
  const UtilizationCurve& curve;

  std::int64_t share(std::int64_t wanted, std::int64_t capacity) const {
    return curve[static_cast<std::size_t>(percent(std::min(wanted, capacity), capacity))];
  }
  double share(double wanted, double capacity) const {
    const double part = smaller(wanted, capacity) * 100.0 / capacity;
    return curve[static_cast<std::size_t>(static_cast<std::int32_t>(part))];
  }
  static bool counts(std::int64_t share) { return share > 0; }
  static double counts(double share) { return positive(share); }
  static std::int64_t mean(std::int64_t total, std::int64_t weights) {
    return (2 * total + weights) / (2 * weights);
  }
  static double mean(double total, double weights) { return (2 * total + weights) / (2 * weights); }
};

template <typename Strategy>
std::int64_t score_node(const Strategy& strategy, const core::Cluster& cluster,
                        std::span<const ScoredResource> resources, std::size_t node) {
  std::int64_t total = 0;
  std::int64_t weights = 0;
  for (const ScoredResource& resource : resources) {
    const std::int64_t capacity = resource.allocatable(cluster)[node];
    if (capacity <= 0) continue;
    const std::int64_t wanted = sum_or_limit(resource.used(cluster)[node], resource.request);
    const std::int64_t share = strategy.share(wanted, capacity);
    if (!strategy.counts(share)) continue;
    total += share * resource.weight;
    weights += resource.weight;
  }
  return weights == 0 ? 0 : strategy.mean(total, weights);
}

struct Accumulator {
  std::array<double, kBlock> total{};
  std::array<double, kBlock> weights{};
};

template <typename Strategy>
void add_resource(const Strategy& strategy, std::span<const std::int64_t> allocatable,
                  std::span<const std::int64_t> used, const ScoredResource& resource,
                  Accumulator& sums) {
  const auto request = static_cast<double>(resource.request);
  const auto weight = static_cast<double>(resource.weight);
  for (std::size_t i = 0; i < allocatable.size(); ++i) {
    const double capacity = to_double(allocatable[i]);
    const double share = strategy.share(to_double(used[i]) + request, larger(capacity, 1.0));
    const double counted = weight * positive(capacity) * strategy.counts(share);
    sums.total[i] += counted * share;
    sums.weights[i] += counted;
  }
}

template <typename Strategy>
void take_means(const Strategy& strategy, const Accumulator& sums, std::span<std::int64_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    // Without any weight the total is zero too, and so is the mean.
    const double mean = strategy.mean(sums.total[i], larger(sums.weights[i], 1.0));
    out[i] = static_cast<std::int32_t>(mean);
  }
}

}  // namespace

UtilizationCurve utilization_curve(std::span<const core::ShapePoint> points) {
  UtilizationCurve curve{};
  if (points.empty()) return curve;
  constexpr std::int32_t kScale = 10;  // configured scores run from 0 to 10
  for (std::int32_t percentage = 0; percentage <= 100; ++percentage) {
    const auto right =
        std::ranges::lower_bound(points, percentage, {}, &core::ShapePoint::utilization);
    std::int32_t& value = curve[static_cast<std::size_t>(percentage)];
    if (right == points.begin() || right == points.end()) {
      value = (right == points.end() ? points.back() : points.front()).score * kScale;
      continue;
    }
    const auto left = right - 1;
    value = left->score * kScale + (right->score - left->score) * kScale *
                                       (percentage - left->utilization) /
                                       (right->utilization - left->utilization);
  }
  return curve;
}

AllocationScore::AllocationScore(const core::Cluster& cluster, FitArgs::Strategy strategy,
                                 const UtilizationCurve& curve,
                                 std::vector<ScoredResource> resources)
    : cluster_(cluster), strategy_(strategy), curve_(curve), resources_(std::move(resources)) {}

template <typename Strategy>
void AllocationScore::score_blocks(const Strategy& strategy, const Bitset& nodes,
                                   std::span<std::int64_t> out) const {
  for_each_block(nodes, [&](std::size_t begin, std::size_t count) {
    Accumulator sums;
    for (const ScoredResource& resource : resources_) {
      const auto allocatable = resource.allocatable(cluster_).subspan(begin, count);
      const auto used = resource.used(cluster_).subspan(begin, count);
      if (resource.request >= kFastLimit || !all_small(allocatable) || !all_small(used)) {
        for (std::size_t i = begin; i < begin + count; ++i) {
          out[i] = score_node(strategy, cluster_, resources_, i);
        }
        return;
      }
      add_resource(strategy, allocatable, used, resource, sums);
    }
    take_means(strategy, sums, out.subspan(begin, count));
  });
}

void AllocationScore::score(const Bitset& nodes, std::span<std::int64_t> out) const {
  switch (strategy_) {
    case FitArgs::Strategy::least_allocated:
      return score_blocks(LeastAllocated{}, nodes, out);
    case FitArgs::Strategy::most_allocated:
      return score_blocks(MostAllocated{}, nodes, out);
    case FitArgs::Strategy::requested_to_capacity_ratio:
      return score_blocks(RequestedToCapacityRatio{curve_}, nodes, out);
  }
}

std::int64_t AllocationScore::score(core::NodeId node) const {
  switch (strategy_) {
    case FitArgs::Strategy::least_allocated:
      return score_node(LeastAllocated{}, cluster_, resources_, node.index);
    case FitArgs::Strategy::most_allocated:
      return score_node(MostAllocated{}, cluster_, resources_, node.index);
    case FitArgs::Strategy::requested_to_capacity_ratio:
      return score_node(RequestedToCapacityRatio{curve_}, cluster_, resources_, node.index);
  }
  TUTTI_CHECK(false, "unknown strategy");
}

}  // namespace tutti::plugins
