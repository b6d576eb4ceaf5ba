// NodeAffinity: nodes must match the pod's nodeSelector and required affinity and whatever the
// profile adds; nodes that match more of the preferred terms score higher.
#pragma once

#include "core/framework/config.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class NodeAffinity final : public core::Plugin,
                           public core::FilterPlugin,
                           public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  explicit NodeAffinity(core::NodeAffinityArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::node_affinity; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;

  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

 private:
  core::NodeAffinityArgs args_;
};

}  // namespace tutti::plugins
