// Does one more pod of the class fit beside what is on the node?
#pragma once

#include "base/std.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class FitFilter final : public core::FilterEvaluator {
 public:
  // `requests` are the resources to look at, sorted by resource; kPods is among them.
  FitFilter(const core::Cluster& cluster, std::vector<core::ResourceAmount> requests);

  void filter(Bitset& nodes) const override;
  bool accepts(core::NodeId node) const override;
  std::vector<core::PluginStatus> explain(core::NodeId node) const override;
  core::Effect changed(const core::Change&) override { return core::Effect::node; }

 private:
  const core::Cluster& cluster_;
  std::vector<core::ResourceAmount> requests_;
};

}  // namespace tutti::plugins
