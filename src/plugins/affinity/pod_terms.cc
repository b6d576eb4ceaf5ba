#include "plugins/affinity/pod_terms.h"

#include <algorithm>

namespace tutti::plugins {

core::LabelClass label_class_of(const model::Pod& pod) {
  return {pod.meta.ns, pod.meta.labels, false};
}

core::PodQuery query_of(const std::vector<model::PodAffinityTerm>& terms, std::string_view ns) {
  core::PodQuery query;
  for (const auto& term : terms) {
    auto made = core::pod_term(term, ns);
    if (!made) return {};
    query.all_of.push_back(*std::move(made));
  }
  return query;
}

core::PodQuery query_of(const model::PodAffinityTerm& term, std::string_view ns) {
  auto made = core::pod_term(term, ns);
  if (!made) return {};
  return {{*std::move(made)}, true};
}

std::size_t KeyedSums::position(const core::Cluster& cluster, const std::string& key) {
  const auto known = std::ranges::find(sums_, key, &decltype(sums_)::value_type::first);
  if (known != sums_.end()) return static_cast<std::size_t>(known - sums_.begin());
  sums_.emplace_back(key, core::DomainSums(cluster.labels().domains(key)));
  return sums_.size() - 1;
}

std::int64_t KeyedSums::total_of(std::size_t node) const {
  std::int64_t total = 0;
  for (const auto& [key, sums] : sums_) total += sums.of_node(node);
  return total;
}

bool KeyedSums::any_positive(std::size_t node) const {
  return std::ranges::any_of(sums_,
                             [&](const auto& entry) { return entry.second.of_node(node) > 0; });
}

ShapeTerms::ShapeTerms(const core::Cluster& cluster, KeyedSums& into, TermsOf terms_of)
    : cluster_(cluster), into_(into), terms_of_(std::move(terms_of)) {
  const bool concerned =
      std::ranges::count_if(cluster.populations().special(),
                            [&](const auto& entry) { return !of(entry.shape).empty(); }) > 0;
  if (!concerned) return;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    const core::NodeId id{static_cast<std::uint32_t>(node)};
    for (const auto& [shape, count] : cluster.populations().special_on(id)) {
      for (const auto& term : of(shape)) into_[term.position].add(node, term.weight * count);
    }
  });
}

const std::vector<ShapeTerm>& ShapeTerms::of(core::ShapeId shape) {
  static const std::vector<ShapeTerm> kNone;
  const core::PodShape& asked = cluster_.shape(shape);
  if (!asked.has_pod_affinity) return kNone;
  const auto [at, fresh] = terms_.try_emplace(shape);
  if (fresh) {
    terms_of_(asked, [&](const std::string& key, std::int64_t weight) {
      at->second.push_back({into_.position(cluster_, key), weight});
    });
  }
  return at->second;
}

}  // namespace tutti::plugins
