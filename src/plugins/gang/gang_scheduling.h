// GangScheduling: members of a group wait for their group's object and for enough of each other,
// are placed only if the minimum can be reached, and bind only once it is.
#pragma once

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class GangScheduling final : public core::Plugin,
                             public core::PreEnqueuePlugin,
                             public core::PlacementFeasiblePlugin,
                             public core::PermitPlugin {
 public:
  static constexpr std::string_view kName = "GangScheduling";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::gang; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;

  // Holds a member until its group and all groups above were seen and the root has its quorum.
  core::PluginStatus pre_enqueue(const core::Cluster& cluster, const core::GroupTable& groups,
                                 core::PodId pod) const override;
  core::Feasibility feasible(const core::Group& group, std::size_t scheduled,
                             std::size_t remaining) const override;
  core::PluginStatus permit(const core::Cluster& cluster, const core::GroupTable& groups,
                            core::PodId pod, core::NodeId node) const override;
};

}  // namespace tutti::plugins
