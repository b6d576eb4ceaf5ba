// NodeUnschedulable: a cordoned node takes only pods that tolerate the cordon's taint.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class NodeUnschedulable final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::unschedulable; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
