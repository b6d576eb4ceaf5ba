// FractionalGpus: pods that ask for thousandths of GPUs (core::kGpuMilli) get them on devices: a
// share from one, more as whole ones. NodeResourcesFit sees to the node's total; this plugin to
// there being a device with enough left, and, with a policy, to which node is best.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "plugins/gpus/gpu_scores.h"

namespace tutti::plugins {

class FractionalGpus final : public core::Plugin,
                             public core::FilterPlugin,
                             public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "FractionalGpus";
  explicit FractionalGpus(core::FractionalGpuArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::resources; }
  core::EventKind wakes_on() const override;

  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

 private:
  std::shared_ptr<GpuScores> scores_for(const core::Cluster& cluster) const;

  core::FractionalGpuArgs args_;
  // Made when first asked. The plugins of a profile serve one cluster; copies of it, on which
  // something is tried, come with profiles of their own.
  mutable const core::Cluster* cluster_ = nullptr;
  mutable std::shared_ptr<GpuScores> scores_;
};

}  // namespace tutti::plugins
