// How full a node would be with the pod on it, as a score: the three strategies of
// NodeResourcesFit.
#pragma once

#include <array>

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "plugins/fit/scored_resource.h"

namespace tutti::plugins {

// Score by utilization percent 0..100, from the corners of a piecewise linear curve scaled to 100.
using UtilizationCurve = std::array<std::int32_t, 101>;
UtilizationCurve utilization_curve(std::span<const core::ShapePoint> points);

class AllocationScore final : public core::ScoreEvaluator {
 public:
  // `curve` serves requested_to_capacity_ratio only and must outlive the evaluator.
  AllocationScore(const core::Cluster& cluster, core::FitArgs::Strategy strategy,
                  const UtilizationCurve& curve, std::vector<ScoredResource> resources);

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override;
  std::int64_t score(core::NodeId node) const override;
  core::Effect changed(const core::Change&) override { return core::Effect::node; }

 private:
  template <typename Strategy>
  void score_blocks(const Strategy& strategy, const Bitset& nodes,
                    std::span<std::int64_t> out) const;

  const core::Cluster& cluster_;
  core::FitArgs::Strategy strategy_;
  const UtilizationCurve& curve_;
  std::vector<ScoredResource> resources_;
};

}  // namespace tutti::plugins
