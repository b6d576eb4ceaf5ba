// NodePorts: two pods on a node may not claim the same host port of the same protocol on an address
// they share; 0.0.0.0 shares with every address.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class NodePorts final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodePorts";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::ports; }
  core::EventKind wakes_on() const override;
  bool worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                      const core::ClusterEvent& event) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

bool conflict(const core::HostPort& a, const core::HostPort& b);

}  // namespace tutti::plugins
