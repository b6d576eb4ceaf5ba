// TopologyPlacementGenerator: one candidate placement per domain of the group's topology key, or a
// single one of all nodes for a group without a key. Members that already run pin the group to
// their domain.
#pragma once

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class TopologyPlacementGenerator final : public core::Plugin, public core::PlacementGeneratePlugin {
 public:
  static constexpr std::string_view kName = "TopologyPlacementGenerator";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::placement; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  Generated generate(const core::Cluster& cluster, const core::GroupTable& groups,
                     core::GroupId group, const Bitset& within) const override;
};

}  // namespace tutti::plugins
