// PodTopologySpread: matching pods spread over the domains of topology keys.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "core/matching/pod_counts.h"

namespace tutti::plugins {

class PodTopologySpread final : public core::Plugin,
                                public core::FilterPlugin,
                                public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";

  explicit PodTopologySpread(core::PodTopologySpreadArgs args = {}) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::topology_spread; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

 private:
  core::PodTopologySpreadArgs args_;
  mutable core::PodCountsCache counts_;  // shared by the evaluators of all classes
};

}  // namespace tutti::plugins
