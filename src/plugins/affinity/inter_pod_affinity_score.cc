#include "plugins/affinity/inter_pod_affinity_score.h"

#include <algorithm>
#include <utility>

namespace tutti::plugins {
namespace {

ShapeTerms::TermsOf terms_about(const core::Cluster& cluster, core::LabelClass pods,
                                std::int64_t required_weight) {
  return [&cluster, pods = std::move(pods), required_weight](const core::PodShape& shape,
                                                             const ShapeTerms::Offer& offer) {
    const auto consider = [&](const model::PodAffinityTerm& term, std::int64_t weight) {
      if (weight == 0 || !core::matches(cluster, query_of(term, shape.ns), pods)) return;
      offer(term.topology_key, weight);
    };
    for (const auto& term : shape.spec->affinity.required) consider(term, required_weight);
    for (const auto& [weight, term] : shape.spec->affinity.preferred) consider(term, weight);
    for (const auto& [weight, term] : shape.spec->anti_affinity.preferred) consider(term, -weight);
  };
}

}  // namespace

InterPodAffinityScore::InterPodAffinityScore(const core::Cluster& cluster,
                                             const core::PodClass& pods,
                                             const core::InterPodAffinityArgs& args,
                                             core::PodCountsCache& cache)
    : existing_(cluster, sums_,
                terms_about(cluster, label_class_of(*pods.sample), args.hard_pod_affinity_weight)) {
  const model::PodSpec& spec = *pods.sample->spec;
  add_own(cluster, spec.affinity.preferred, pods.sample->meta.ns, +1, cache);
  add_own(cluster, spec.anti_affinity.preferred, pods.sample->meta.ns, -1, cache);
}

void InterPodAffinityScore::add_own(const core::Cluster& cluster,
                                    const std::vector<model::WeightedPodAffinityTerm>& terms,
                                    std::string_view ns, std::int64_t sign,
                                    core::PodCountsCache& cache) {
  for (const auto& [weight, term] : terms) {
    const auto& made =
        own_.emplace_back(OwnTerm{sums_.position(cluster, term.topology_key), sign * weight,
                                  cache.get(cluster, query_of(term, ns))});
    auto& sums = sums_[made.position];
    cluster.nodes().live().for_each_set(
        [&](std::size_t node) { sums.add(node, made.weight * made.counts->by_node()[node]); });
  }
}

void InterPodAffinityScore::score(const Bitset& nodes, std::span<std::int64_t> out) const {
  nodes.for_each_set([&](std::size_t node) { out[node] = sums_.total_of(node); });
}

core::Effect InterPodAffinityScore::add(std::size_t position, std::size_t node,
                                        std::int64_t amount) {
  auto& sums = sums_[position];
  if (!sums.has_key(node)) return core::Effect::none;
  sums.add(node, amount);
  return reach(sums, node);
}

core::Effect InterPodAffinityScore::changed(const core::Change& change) {
  auto effect = core::Effect::none;
  for (const auto& term : own_) {
    if (!term.counts->counts(change.labels)) continue;
    effect = std::max(effect, add(term.position, change.node.index, term.weight * change.count));
  }
  for (const auto& term : existing_.of(change.shape)) {
    effect = std::max(effect, add(term.position, change.node.index, term.weight * change.count));
  }
  return effect;
}

std::int64_t InterPodAffinityScore::normalize(core::NodeId /*node*/, std::int64_t raw,
                                              std::int64_t min, std::int64_t max) const {
  if (max <= min) return 0;
  // In floating point and in this order, as kube-scheduler rounds.
  const double share = static_cast<double>(raw - min) / static_cast<double>(max - min);
  return static_cast<std::int64_t>(static_cast<double>(core::kMaxNodeScore) * share);
}

}  // namespace tutti::plugins
