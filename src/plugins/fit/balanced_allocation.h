// NodeResourcesBalancedAllocation: prefers nodes whose resources the pod would bring closer to an
// even use.
//
// f_r = min(1, requested/allocatable) per resource, b = (1 - deviation of the f_r)·100, and the
// score is 50 + (50 + b with the pod - b without it)/2: 75 is no change, less is worse.
#pragma once

#include "core/framework/config.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class BalancedAllocation final : public core::Plugin, public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";
  explicit BalancedAllocation(core::BalancedAllocationArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;
  bool yields_to_packing() const override { return true; }

 private:
  core::BalancedAllocationArgs args_;
};

}  // namespace tutti::plugins
