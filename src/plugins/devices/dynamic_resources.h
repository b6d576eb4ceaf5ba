// DynamicResources: pods that ask for devices through resource claims.
//
// Tutti cannot allocate claims, so such a pod is refused everywhere and says so; running it without
// its devices would be a wrong answer.
#pragma once

#include <string_view>

#include "core/plugin.h"

namespace tutti::plugins {

class DynamicResources final : public core::Plugin, public core::FilterPlugin {
 public:
  static constexpr std::string_view kName = "DynamicResources";

  std::string_view name() const override { return kName; }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
};

}  // namespace tutti::plugins
