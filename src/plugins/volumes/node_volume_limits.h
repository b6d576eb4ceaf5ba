// NodeVolumeLimits: a CSI driver can attach only so many volumes to a node.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class NodeVolumeLimits final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::volumes; }
  core::EventKind wakes_on() const override {
    using core::EventKind;
    return EventKind::pod_removed | EventKind::node_added | EventKind::storage;
  }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
