#include "plugins/spread/pod_topology_spread.h"

#include <algorithm>
#include <memory>

#include "plugins/spread/constraints.h"
#include "plugins/spread/filter.h"
#include "plugins/spread/score.h"

namespace tutti::plugins {
namespace {

using core::EventKind;

constexpr EventKind kPodMoves = EventKind::pod_added | EventKind::pod_removed;

SpreadRules hard_rules(const core::Cluster& cluster, const model::Pod& pod,
                       const core::PodTopologySpreadArgs& args) {
  return spread_rules(cluster, {{}, {}, 0, core::WorkClass::none, &pod}, args,
                      Strictness::do_not_schedule);
}

}  // namespace

EventKind PodTopologySpread::wakes_on() const {
  return kPodMoves | EventKind::pod_updated | EventKind::node_added | EventKind::node_removed |
         EventKind::node_labels | EventKind::node_taints;
}

bool PodTopologySpread::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                       const core::ClusterEvent& event) const {
  // An update does not say what the pod was before; only arrivals and departures can be told apart.
  if (!core::has(event.kinds, kPodMoves) || event.pod == nullptr) return true;
  const core::LabelClass moved{event.pod->meta.ns, event.pod->meta.labels, false};
  return std::ranges::any_of(
      hard_rules(cluster, rejected, args_).constraints, [&](const SpreadConstraint& constraint) {
        return constraint.counted && core::matches(cluster, *constraint.counted, moved);
      });
}

core::Prepared<core::FilterEvaluator> PodTopologySpread::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const auto rules = spread_rules(cluster, pods, args_, Strictness::do_not_schedule);
  if (rules.constraints.empty()) return Prepared::skip();
  return Prepared::ready(std::make_unique<SpreadFilter>(cluster, pods, rules, counts_));
}

core::Prepared<core::ScoreEvaluator> PodTopologySpread::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  const auto rules = spread_rules(cluster, pods, args_, Strictness::schedule_anyway);
  if (rules.constraints.empty()) return Prepared::skip();
  return Prepared::ready(std::make_unique<SpreadScore>(cluster, pods, rules, counts_));
}

}  // namespace tutti::plugins
