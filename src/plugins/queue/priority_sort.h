// PrioritySort: higher priority first, then who waits longer, then names.
#pragma once

#include <tuple>

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class PrioritySort final : public core::Plugin, public core::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "PrioritySort";

  std::string_view name() const override { return kName; }
  bool before(const core::QueueRank& a, const core::QueueRank& b) const override {
    return std::tie(b.priority, a.queued_at, a.name) < std::tie(a.priority, b.queued_at, b.name);
  }
};

}  // namespace tutti::plugins
