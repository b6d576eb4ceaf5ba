// DefaultPreemption: a switch with arguments. Preemption decides about whole groups on the cluster
// itself, so that the scheduling cycle carries it out: see core::Profile::preempts.
#pragma once

#include "core/framework/plugin.h"

namespace tutti::plugins {

class DefaultPreemption final : public core::Plugin {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::preemption; }
};

}  // namespace tutti::plugins
