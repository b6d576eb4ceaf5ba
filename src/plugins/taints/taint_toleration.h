// TaintToleration: a node's NoSchedule and NoExecute taints keep out pods that do not tolerate
// them; PreferNoSchedule taints lower its score.
//
// Clusters have few distinct taint lists, so each list is judged once per class of pods.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class TaintToleration final : public core::Plugin,
                              public core::FilterPlugin,
                              public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "TaintToleration";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::taints; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
