// VolumeZone: a bound volume labelled with zones or regions is reachable from nodes there only.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class VolumeZone final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeZone";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::volumes; }
  core::EventKind wakes_on() const override {
    using core::EventKind;
    return EventKind::storage | EventKind::node_added | EventKind::node_labels;
  }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
