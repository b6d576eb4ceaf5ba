// NodeName: a pod that names its node goes there or nowhere.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class NodeName final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeName";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::node_name; }
  core::EventKind wakes_on() const override { return core::EventKind::node_added; }
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
