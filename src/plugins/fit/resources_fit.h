// NodeResourcesFit: a node takes a pod whose requests fit beside those already there; and how full
// it would then be decides its score. For groups it scores a whole placement by how full it gets.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"
#include "plugins/fit/allocation_score.h"

namespace tutti::plugins {

class ResourcesFit final : public core::Plugin,
                           public core::FilterPlugin,
                           public core::ScorePlugin,
                           public core::PlacementScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";
  explicit ResourcesFit(core::FitArgs args);

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::resources; }
  core::EventKind wakes_on() const override;
  // Only what makes the pod's requests fit the node of the event is worth a retry.
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;

  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  bool only_resources() const override { return true; }
  bool every_resource() const override {
    return args_.ignored_resources.empty() && args_.ignored_groups.empty();
  }
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

  bool yields_to_packing() const override { return true; }

  // Fuller placements score higher, whatever the strategy for nodes: a group should leave the
  // emptier domains whole. Every node of the placement counts, usable or not.
  std::int64_t score(const core::Cluster& cluster, const core::GroupTable& groups,
                     core::GroupId group, const core::Placement& placement,
                     std::span<const core::ProposedPod> proposed) const override;
  std::optional<std::int64_t> foresee(const core::Cluster& cluster, const core::GroupTable& groups,
                                      core::GroupId group, const core::Placement& placement,
                                      core::PodId sample, std::size_t count) const override;

 private:
  // How full the placement would be, of `wanted` resources with `more` on top.
  std::int64_t fullness(const core::Cluster& cluster, const core::Placement& placement,
                        const std::function<bool(core::ResourceId)>& wanted,
                        const std::function<std::int64_t(core::ResourceId)>& more) const;
  // What of the shape's requests the filter looks at.
  std::vector<core::ResourceAmount> examined(const core::Cluster& cluster,
                                             const core::PodShape& shape) const;
  bool ignored(std::string_view resource) const;

  core::FitArgs args_;
  UtilizationCurve curve_;
};

}  // namespace tutti::plugins
