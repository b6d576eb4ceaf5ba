// ImageLocality: prefers nodes that already have the pod's images.
//
// An image counts its size times the share of nodes that have it, so that one warm node does not
// draw every pod; the sum is scaled from 23 MiB (0) to 1000 MiB per image (100).
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class ImageLocality final : public core::Plugin, public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";

  std::string_view name() const override { return kName; }
  core::PodAspects looks_at() const override { return core::PodAspects::images; }
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
