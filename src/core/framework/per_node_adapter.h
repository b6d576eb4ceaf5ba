// PerNodeAdapter: a PerNodePlugin at the scheduler's Filter and Score points.
#pragma once

#include "base/std.h"
#include "core/framework/per_node_plugin.h"
#include "core/framework/plugin.h"

namespace tutti::core {

class PerNodeAdapter final : public Plugin, public FilterPlugin, public ScorePlugin {
 public:
  PerNodeAdapter(std::string name, std::unique_ptr<PerNodePlugin> plugin);

  std::string_view name() const override { return name_; }
  Concern concern() const override { return plugin_->concern(); }
  PodAspects looks_at() const override { return plugin_->looks_at(); }
  std::string failure() const override { return *failure_; }
  // Nothing is known about the plugin's reasons, so every event is worth a try.
  EventKind wakes_on() const override;
  Prepared<FilterEvaluator> prepare_filter(const Cluster& cluster,
                                           const PodClass& pods) const override;
  Prepared<ScoreEvaluator> prepare_score(const Cluster& cluster,
                                         const PodClass& pods) const override;

 private:
  std::string name_;
  std::unique_ptr<PerNodePlugin> plugin_;
  // The first exception that left the plugin. Evaluators share it.
  std::shared_ptr<std::string> failure_ = std::make_shared<std::string>();
};

}  // namespace tutti::core
