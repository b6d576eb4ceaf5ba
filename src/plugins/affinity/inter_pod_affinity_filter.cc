#include "plugins/affinity/inter_pod_affinity_filter.h"

#include <algorithm>
#include <utility>

#include "plugins/affinity/inter_pod_affinity.h"

namespace tutti::plugins {
namespace {

// The required anti-affinity terms of a shape that are about the class.
ShapeTerms::TermsOf anti_terms_about(const core::Cluster& cluster, core::LabelClass pods) {
  return [&cluster, pods = std::move(pods)](const core::PodShape& shape,
                                            const ShapeTerms::Offer& offer) {
    for (const auto& term : shape.spec->anti_affinity.required) {
      if (core::matches(cluster, query_of(term, shape.ns), pods)) offer(term.topology_key, 1);
    }
  };
}

bool positive_changed(std::int64_t before, std::int64_t after) {
  return (before > 0) != (after > 0);
}

// Adds to the node's domain; felt only when the domain gets its first match or loses its last.
core::Effect add(core::DomainSums& sums, std::size_t node, std::int64_t amount) {
  if (!sums.has_key(node)) return core::Effect::none;
  const std::int64_t before = sums.of_node(node);
  sums.add(node, amount);
  return positive_changed(before, sums.of_node(node)) ? reach(sums, node) : core::Effect::none;
}

}  // namespace

InterPodAffinityFilter::InterPodAffinityFilter(const core::Cluster& cluster,
                                               const core::PodClass& pods,
                                               core::PodCountsCache& cache)
    : existing_terms_(cluster, existing_, anti_terms_about(cluster, label_class_of(*pods.sample))) {
  const model::PodSpec& spec = *pods.sample->spec;
  const std::string& ns = pods.sample->meta.ns;
  if (!spec.affinity.required.empty()) {
    const auto query = query_of(spec.affinity.required, ns);
    matches_itself_ = core::matches(cluster, query, label_class_of(*pods.sample));
    affinity_counts_ = cache.get(cluster, query);
    for (const auto& term : spec.affinity.required) {
      auto& sums = affinity_.emplace_back(cluster.labels().domains(term.topology_key));
      cluster.nodes().live().for_each_set([&](std::size_t node) {
        const std::int64_t count = affinity_counts_->by_node()[node];
        sums.add(node, count);
        if (sums.has_key(node)) affinity_total_ += count;
      });
    }
  }
  for (const auto& term : spec.anti_affinity.required) {
    auto& made =
        anti_.emplace_back(AntiTerm{core::DomainSums(cluster.labels().domains(term.topology_key)),
                                    cache.get(cluster, query_of(term, ns))});
    cluster.nodes().live().for_each_set(
        [&](std::size_t node) { made.sums.add(node, made.counts->by_node()[node]); });
  }
}

bool InterPodAffinityFilter::says_nothing() const {
  return affinity_.empty() && anti_.empty() && existing_.empty();
}

bool InterPodAffinityFilter::has_all_keys(std::size_t node) const {
  return std::ranges::all_of(affinity_,
                             [&](const core::DomainSums& sums) { return sums.has_key(node); });
}

bool InterPodAffinityFilter::affinity_holds(std::size_t node) const {
  const bool first_of_its_kind = affinity_total_ == 0 && matches_itself_;
  return std::ranges::all_of(affinity_, [&](const core::DomainSums& sums) {
    return sums.has_key(node) && (first_of_its_kind || sums.of_node(node) > 0);
  });
}

bool InterPodAffinityFilter::anti_affinity_holds(std::size_t node) const {
  return std::ranges::none_of(anti_,
                              [&](const AntiTerm& term) { return term.sums.of_node(node) > 0; });
}

bool InterPodAffinityFilter::accepts(core::NodeId node) const {
  return affinity_holds(node.index) && anti_affinity_holds(node.index) &&
         existing_agree(node.index);
}

void InterPodAffinityFilter::filter(Bitset& nodes) const {
  nodes.for_each_set([&](std::size_t node) {
    if (!accepts(core::NodeId{static_cast<std::uint32_t>(node)})) nodes.reset(node);
  });
}

// More pods never take company away, and never end a dislike.
void InterPodAffinityFilter::rule_out(Bitset& nodes) const {
  nodes.for_each_set([&](std::size_t node) {
    const bool possible = has_all_keys(node) && anti_affinity_holds(node) && existing_agree(node);
    if (!possible) nodes.reset(node);
  });
}

bool InterPodAffinityFilter::counts(core::LabelClassId labels) const {
  return affinity_counts_ && affinity_counts_->counts(labels);
}

void InterPodAffinityFilter::keep_near(core::NodeId node, Bitset& nodes) const {
  const auto missing = std::ranges::find_if(
      affinity_, [&](const core::DomainSums& sums) { return sums.of_node(node.index) <= 0; });
  nodes.for_each_set([&](std::size_t other) {
    const bool near = missing->has_key(node.index) && missing->has_key(other) &&
                      missing->domain(other) == missing->domain(node.index);
    if (!near) nodes.reset(other);
  });
}

std::vector<core::PluginStatus> InterPodAffinityFilter::explain(core::NodeId node) const {
  constexpr auto kName = InterPodAffinity::kName;
  if (!affinity_holds(node.index)) {
    return {{core::Code::unresolvable, kName, "node(s) didn't match pod affinity rules"}};
  }
  if (!anti_affinity_holds(node.index)) {
    return {{core::Code::unschedulable, kName, "node(s) didn't match pod anti-affinity rules"}};
  }
  return {{core::Code::unschedulable, kName,
           "node(s) didn't satisfy existing pods anti-affinity rules"}};
}

core::Effect InterPodAffinityFilter::count_affinity(const core::Change& change) {
  if (!affinity_counts_ || !affinity_counts_->counts(change.labels)) return core::Effect::none;
  auto effect = core::Effect::none;
  const std::int64_t total_before = affinity_total_;
  for (auto& sums : affinity_) {
    effect = std::max(effect, add(sums, change.node.index, change.count));
    if (sums.has_key(change.node.index)) affinity_total_ += change.count;
  }
  // The exception for the first of its kind opens or closes everywhere.
  if (matches_itself_ && positive_changed(total_before, affinity_total_)) {
    return core::Effect::everything;
  }
  return effect;
}

core::Effect InterPodAffinityFilter::count_anti_affinity(const core::Change& change) {
  auto effect = core::Effect::none;
  for (auto& term : anti_) {
    if (!term.counts->counts(change.labels)) continue;
    effect = std::max(effect, add(term.sums, change.node.index, change.count));
  }
  return effect;
}

core::Effect InterPodAffinityFilter::count_existing(const core::Change& change) {
  auto effect = core::Effect::none;
  for (const auto& term : existing_terms_.of(change.shape)) {
    auto& sums = existing_[term.position];
    effect = std::max(effect, add(sums, change.node.index, term.weight * change.count));
  }
  return effect;
}

core::Effect InterPodAffinityFilter::changed(const core::Change& change) {
  const auto affinity = count_affinity(change);
  const auto anti_affinity = count_anti_affinity(change);
  const auto existing = count_existing(change);
  return std::max({affinity, anti_affinity, existing});
}

}  // namespace tutti::plugins
