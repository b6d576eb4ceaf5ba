// InterPodAffinity: pods that want to be near, or away from, other pods.
#pragma once

#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "core/matching/pod_counts.h"

namespace tutti::plugins {

class InterPodAffinity final : public core::Plugin,
                               public core::FilterPlugin,
                               public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";

  explicit InterPodAffinity(core::InterPodAffinityArgs args = {}) : args_(args) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::pod_affinity; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

 private:
  core::InterPodAffinityArgs args_;
  mutable core::PodCountsCache counts_;  // shared by the evaluators of all classes
};

}  // namespace tutti::plugins
