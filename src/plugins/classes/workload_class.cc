#include "plugins/classes/workload_class.h"

#include <algorithm>
#include <memory>

#include "plugins/classes/class_score.h"

namespace tutti::plugins {

core::Prepared<core::ScoreEvaluator> WorkloadClass::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  if (pods.work == core::WorkClass::none) return Prepared::skip();
  const auto rule = std::ranges::find(args_.rules, pods.work, &core::ClassRule::work);
  if (rule == args_.rules.end()) return Prepared::skip();
  if (rule->nodes == core::ClassRule::Nodes::any && rule->apart_from.empty()) {
    return Prepared::skip();
  }
  return Prepared::ready(std::make_unique<ClassScore>(cluster, *rule, pods));
}

}  // namespace tutti::plugins
