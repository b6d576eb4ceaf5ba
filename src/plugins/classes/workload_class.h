// WorkloadClass: scores nodes for pods that declare what class of work they are. Pods that declare
// nothing, or whose class has no rule, are none of its business.
//
//   Packed      nodes that have work of the class already, then those that would be fullest
//   Spread      the other way round
//   apartFrom   before that: nodes without demanding pods of these classes, then with the fewest
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class WorkloadClass final : public core::Plugin, public core::ScorePlugin {
 public:
  static constexpr std::string_view kName = "WorkloadClass";
  explicit WorkloadClass(core::WorkloadClassArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;

 private:
  core::WorkloadClassArgs args_;
};

}  // namespace tutti::plugins
