#include "plugins/fit/balanced_allocation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plugins/fit/blocks.h"
#include "plugins/fit/column_math.h"
#include "plugins/fit/scored_resource.h"

namespace tutti::plugins {
namespace {

double capped_fraction(double requested, double capacity) {
  return smaller(requested / capacity, 1.0);
}

double deviation_of_two(double a, double b) { return std::fabs((a - b) / 2); }

double deviation(std::span<const double> fractions) {
  if (fractions.size() < 2) return 0;
  if (fractions.size() == 2) return deviation_of_two(fractions[0], fractions[1]);
  const auto size = static_cast<double>(fractions.size());
  double total = 0;
  for (const double fraction : fractions) total += fraction;
  const double mean = total / size;
  double squares = 0;
  for (const double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
  return std::sqrt(squares / size);
}

// Whole numbers, kept as doubles because those vectorise.
double balance(double deviated) { return truncated((1 - deviated) * 100.0); }

std::int32_t score_of_change(double change) {
  return 50 + static_cast<std::int32_t>((50 + change) / 2);
}

class BalancedScore final : public core::ScoreEvaluator {
 public:
  BalancedScore(const core::Cluster& cluster, std::vector<ScoredResource> resources)
      : cluster_(cluster), resources_(std::move(resources)) {}

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    for_each_block(nodes, [&](std::size_t begin, std::size_t count) {
      if (score_two(begin, out.subspan(begin, count))) return;
      for (std::size_t i = begin; i < begin + count; ++i) {
        out[i] = score(core::NodeId{static_cast<std::uint32_t>(i)});
      }
    });
  }

  std::int64_t score(core::NodeId node) const override {
    with_.clear();
    without_.clear();
    for (const ScoredResource& resource : resources_) {
      const std::int64_t capacity = resource.allocatable(cluster_)[node.index];
      if (capacity <= 0) continue;
      const std::int64_t used = resource.used(cluster_)[node.index];
      const auto whole = static_cast<double>(capacity);
      with_.push_back(
          capped_fraction(static_cast<double>(sum_or_limit(used, resource.request)), whole));
      without_.push_back(capped_fraction(static_cast<double>(used), whole));
    }
    return score_of_change(balance(deviation(with_)) - balance(deviation(without_)));
  }

  core::Effect changed(const core::Change&) override { return core::Effect::node; }

 private:
  // The usual case, cpu and memory on nodes that have both. False: the block is another case.
  bool score_two(std::size_t begin, std::span<std::int64_t> out) const {
    if (resources_.size() != 2) return false;
    const auto column = [&](const auto& figures) { return figures.subspan(begin, out.size()); };
    const auto capacity_a = column(resources_[0].allocatable(cluster_));
    const auto capacity_b = column(resources_[1].allocatable(cluster_));
    const auto used_a = column(resources_[0].used(cluster_));
    const auto used_b = column(resources_[1].used(cluster_));
    if (!all_small(capacity_a) || !all_small(capacity_b) || !all_small(used_a) ||
        !all_small(used_b) ||
        std::max(resources_[0].request, resources_[1].request) >= kFastLimit) {
      return false;
    }
    const auto request_a = static_cast<double>(resources_[0].request);
    const auto request_b = static_cast<double>(resources_[1].request);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double whole_a = to_double(capacity_a[i]);
      const double whole_b = to_double(capacity_b[i]);
      const double before_a = to_double(used_a[i]);
      const double before_b = to_double(used_b[i]);
      const double safe_a = larger(whole_a, 1.0);
      const double safe_b = larger(whole_b, 1.0);
      const double with_pod =
          balance(deviation_of_two(capped_fraction(before_a + request_a, safe_a),
                                   capped_fraction(before_b + request_b, safe_b)));
      const double without_pod = balance(
          deviation_of_two(capped_fraction(before_a, safe_a), capped_fraction(before_b, safe_b)));
      // A single resource has no deviation: nothing changes.
      const double both = positive(whole_a) * positive(whole_b);
      out[i] = score_of_change((with_pod - without_pod) * both);
    }
    return true;
  }

  const core::Cluster& cluster_;
  std::vector<ScoredResource> resources_;
  mutable std::vector<double> with_;  // scratch of score(NodeId)
  mutable std::vector<double> without_;
};

}  // namespace

core::Prepared<core::ScoreEvaluator> BalancedAllocation::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  auto resources = scored_resources(cluster, cluster.shape(pods.shape), args_.resources,
                                    MissingRequests::count_nothing);
  // A pod that asks for nothing changes no balance; scoring it would send all such pods to one
  // node.
  const bool asks = std::ranges::any_of(resources, [](const auto& r) { return r.request > 0; });
  if (!asks || resources.size() < 2) return core::Prepared<core::ScoreEvaluator>::skip();
  return core::Prepared<core::ScoreEvaluator>::ready(
      std::make_unique<BalancedScore>(cluster, std::move(resources)));
}

}  // namespace tutti::plugins
