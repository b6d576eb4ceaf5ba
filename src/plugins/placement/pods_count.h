// PodGroupPodsCount: of several placements that satisfy a group, the one that takes more of its
// pods is better.
#pragma once

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class PodGroupPodsCount final : public core::Plugin, public core::PlacementScorePlugin {
 public:
  static constexpr std::string_view kName = "PodGroupPodsCount";

  std::string_view name() const override { return kName; }
  // Members running already and members proposed, each once.
  std::int64_t score(const core::Cluster& cluster, const core::GroupTable& groups,
                     core::GroupId group, const core::Placement& placement,
                     std::span<const core::ProposedPod> proposed) const override;
  std::optional<std::int64_t> foresee(const core::Cluster& cluster, const core::GroupTable& groups,
                                      core::GroupId group, const core::Placement& placement,
                                      core::PodId sample, std::size_t count) const override;
  std::int64_t normalize(std::int64_t raw, std::int64_t max) const override {
    return max == 0 ? 0 : core::kMaxNodeScore * raw / max;
  }
};

}  // namespace tutti::plugins
