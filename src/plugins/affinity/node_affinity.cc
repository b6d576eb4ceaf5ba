#include "plugins/affinity/node_affinity.h"

#include <algorithm>
#include <vector>

#include "core/cluster/node_match.h"

namespace tutti::plugins {
namespace {

constexpr std::string_view kPodReason = "node(s) didn't match Pod's node affinity/selector";
constexpr std::string_view kAddedReason = "node(s) didn't match scheduler-enforced node affinity";

// Labels do not change while an evaluator lives, so the answers are worked out once.
class AffinityFilter final : public core::FilterEvaluator {
 public:
  AffinityFilter(Bitset matching_pod, Bitset matching_added)
      : pod_(std::move(matching_pod)), added_(std::move(matching_added)) {}

  void filter(Bitset& nodes) const override {
    nodes.and_with(pod_);
    nodes.and_with(added_);
  }
  bool accepts(core::NodeId node) const override {
    return pod_.test(node.index) && added_.test(node.index);
  }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override {
    const auto reason = added_.test(node.index) ? kPodReason : kAddedReason;
    return {{core::Code::unresolvable, NodeAffinity::kName, std::string(reason)}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  Bitset pod_;
  Bitset added_;
};

class AffinityScore final : public core::ScoreEvaluator {
 public:
  explicit AffinityScore(std::vector<std::int64_t> weights) : weights_(std::move(weights)) {}

  void score(const Bitset&, std::span<std::int64_t> out) const override {
    std::copy(weights_.begin(), weights_.end(), out.begin());
  }
  std::int64_t score(core::NodeId node) const override { return weights_[node.index]; }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }
  bool normalizes() const override { return true; }
  std::int64_t normalize(core::NodeId, std::int64_t raw, std::int64_t,
                         std::int64_t max) const override {
    return max == 0 ? raw : core::kMaxNodeScore * raw / max;
  }

 private:
  std::vector<std::int64_t> weights_;  // by node: of the preferred terms it matches
};

void add_preferred(const core::Cluster& cluster, const std::vector<model::PreferredNodeTerm>& terms,
                   std::vector<std::int64_t>& weights) {
  for (const auto& [weight, term] : terms) {
    if (weight == 0) continue;
    nodes_matching(cluster, term).for_each_set([&, w = weight](std::size_t i) { weights[i] += w; });
  }
}

}  // namespace

core::EventKind NodeAffinity::wakes_on() const {
  return core::EventKind::node_added | core::EventKind::node_labels;
}

bool NodeAffinity::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                  const core::ClusterEvent& event) const {
  if (!event.node.valid()) return true;
  if (!cluster.nodes().live().test(event.node.index)) return false;
  const model::Node& node = cluster.node(event.node);
  const auto& added = args_.added_affinity;
  return core::node_matches(node, *rejected.spec) &&
         (!added || !added->required || core::node_matches_any(node, *added->required));
}

core::Prepared<core::FilterEvaluator> NodeAffinity::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const model::PodSpec& spec = *pods.sample->spec;
  const bool adds = args_.added_affinity && args_.added_affinity->required;
  if (spec.node_selector.empty() && !spec.node_affinity.required && !adds) return Prepared::skip();
  Bitset added = adds ? core::nodes_matching_any(cluster, *args_.added_affinity->required)
                      : cluster.nodes().live();
  return Prepared::ready(
      std::make_unique<AffinityFilter>(core::nodes_matching(cluster, spec), std::move(added)));
}

core::Prepared<core::ScoreEvaluator> NodeAffinity::prepare_score(const core::Cluster& cluster,
                                                                 const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  const auto& preferred = pods.sample->spec->node_affinity.preferred;
  std::vector<std::int64_t> weights(cluster.nodes().slots(), 0);
  add_preferred(cluster, preferred, weights);
  if (args_.added_affinity) add_preferred(cluster, args_.added_affinity->preferred, weights);
  const bool any = std::ranges::any_of(weights, [](std::int64_t weight) { return weight != 0; });
  return any ? Prepared::ready(std::make_unique<AffinityScore>(std::move(weights)))
             : Prepared::skip();
}

}  // namespace tutti::plugins
