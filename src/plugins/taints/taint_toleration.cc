#include "plugins/taints/taint_toleration.h"

#include <algorithm>
#include <vector>

#include "core/matching/toleration.h"

namespace tutti::plugins {
namespace {

using Tolerations = std::vector<model::Toleration>;

// The first taint that keeps the pod out, or null.
const model::Taint* repelling(const std::vector<model::Taint>& taints, const Tolerations& by) {
  const auto found = std::ranges::find_if(taints, [&](const model::Taint& taint) {
    return (taint.effect == core::kNoSchedule || taint.effect == core::kNoExecute) &&
           !core::tolerates(by, taint);
  });
  return found == taints.end() ? nullptr : &*found;
}

std::int64_t disliked(const std::vector<model::Taint>& taints, const Tolerations& by) {
  return std::ranges::count_if(taints, [&](const model::Taint& taint) {
    return taint.effect == core::kPreferNoSchedule && !core::tolerates(by, taint);
  });
}

// judge(taints) for every distinct list.
template <typename Judge>
auto per_taint_set(const core::Cluster& cluster, const Judge& judge) {
  std::vector<decltype(judge(cluster.nodes().taint_set({0})))> judged;
  judged.reserve(cluster.nodes().taint_set_count());
  for (std::uint32_t i = 0; i < cluster.nodes().taint_set_count(); ++i) {
    judged.push_back(judge(cluster.nodes().taint_set(core::TaintSetId{i})));
  }
  return judged;
}

Bitset nodes_without(const core::Cluster& cluster, const std::vector<const model::Taint*>& repel) {
  const auto sets = cluster.nodes().taint_sets();
  Bitset nodes = cluster.nodes().live();
  nodes.for_each_set([&](std::size_t i) {
    if (repel[sets[i].index] != nullptr) nodes.reset(i);
  });
  return nodes;
}

class TaintFilter final : public core::FilterEvaluator {
 public:
  TaintFilter(const core::Cluster& cluster, std::vector<const model::Taint*> repelling_by_set)
      : cluster_(cluster),
        repelling_(std::move(repelling_by_set)),
        accepted_(nodes_without(cluster, repelling_)) {}

  void filter(Bitset& nodes) const override { nodes.and_with(accepted_); }
  bool accepts(core::NodeId node) const override { return accepted_.test(node.index); }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override {
    const model::Taint& taint = *repelling_[cluster_.nodes().taint_sets()[node.index].index];
    return {{core::Code::unresolvable, TaintToleration::kName,
             "node(s) had untolerated taint {" + taint.key + ": " + taint.value + "}"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  const core::Cluster& cluster_;
  std::vector<const model::Taint*> repelling_;  // by taint set
  Bitset accepted_;
};

class TaintScore final : public core::ScoreEvaluator {
 public:
  TaintScore(const core::Cluster& cluster, std::vector<std::int64_t> disliked_by_set)
      : cluster_(cluster), disliked_(std::move(disliked_by_set)) {}

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    const auto sets = cluster_.nodes().taint_sets();
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = disliked_[sets[i].index];
  }
  std::int64_t score(core::NodeId node) const override {
    return disliked_[cluster_.nodes().taint_sets()[node.index].index];
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }
  bool normalizes() const override { return true; }
  std::int64_t normalize(core::NodeId, std::int64_t raw, std::int64_t,
                         std::int64_t max) const override {
    return max == 0 ? core::kMaxNodeScore : core::kMaxNodeScore - core::kMaxNodeScore * raw / max;
  }

 private:
  const core::Cluster& cluster_;
  std::vector<std::int64_t> disliked_;  // by taint set
};

}  // namespace

core::EventKind TaintToleration::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_taints | pod_updated;
}

bool TaintToleration::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                     const core::ClusterEvent& event) const {
  // Tolerations can be added to a waiting pod.
  if (has(event.kinds, core::EventKind::pod_updated)) {
    return event.pod == nullptr || event.pod->meta.uid == rejected.meta.uid;
  }
  if (!event.node.valid()) return true;
  return cluster.nodes().live().test(event.node.index) &&
         repelling(cluster.node(event.node).taints, rejected.spec->tolerations) == nullptr;
}

core::Prepared<core::FilterEvaluator> TaintToleration::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const Tolerations& by = pods.sample->spec->tolerations;
  auto repel = per_taint_set(cluster, [&](const auto& taints) { return repelling(taints, by); });
  if (std::ranges::all_of(repel, [](const auto* taint) { return taint == nullptr; })) {
    return Prepared::skip();
  }
  return Prepared::ready(std::make_unique<TaintFilter>(cluster, std::move(repel)));
}

core::Prepared<core::ScoreEvaluator> TaintToleration::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  const Tolerations& by = pods.sample->spec->tolerations;
  auto counts = per_taint_set(cluster, [&](const auto& taints) { return disliked(taints, by); });
  if (std::ranges::all_of(counts, [](std::int64_t count) { return count == 0; })) {
    return Prepared::skip();
  }
  return Prepared::ready(std::make_unique<TaintScore>(cluster, std::move(counts)));
}

}  // namespace tutti::plugins
