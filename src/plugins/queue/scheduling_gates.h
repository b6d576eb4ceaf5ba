// SchedulingGates: a pod with gates left is not tried.
#pragma once

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class SchedulingGates final : public core::Plugin, public core::PreEnqueuePlugin {
 public:
  static constexpr std::string_view kName = "SchedulingGates";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::gates; }
  core::EventKind wakes_on() const override { return core::EventKind::pod_updated; }
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::PluginStatus pre_enqueue(const core::Cluster& cluster, const core::GroupTable& groups,
                                 core::PodId pod) const override;
};

}  // namespace tutti::plugins
