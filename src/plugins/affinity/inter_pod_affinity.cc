#include "plugins/affinity/inter_pod_affinity.h"

#include <algorithm>
#include <memory>

#include "plugins/affinity/inter_pod_affinity_filter.h"
#include "plugins/affinity/inter_pod_affinity_score.h"
#include "plugins/affinity/pod_terms.h"

namespace tutti::plugins {
namespace {

using core::EventKind;

// Whether a pod with these terms is about the other pod through any of them.
bool any_is_about(const core::Cluster& cluster, const std::vector<model::PodAffinityTerm>& terms,
                  const model::Pod& owner, const model::Pod& other) {
  return std::ranges::any_of(terms, [&](const model::PodAffinityTerm& term) {
    return core::matches(cluster, query_of(term, owner.meta.ns), label_class_of(other));
  });
}

bool any_preferred(const model::PodSpec& spec) {
  return !spec.affinity.preferred.empty() || !spec.anti_affinity.preferred.empty();
}

}  // namespace

EventKind InterPodAffinity::wakes_on() const {
  return EventKind::pod_added | EventKind::pod_removed | EventKind::pod_updated |
         EventKind::node_added | EventKind::node_removed | EventKind::node_labels |
         EventKind::other_object;
}

bool InterPodAffinity::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                      const core::ClusterEvent& event) const {
  if (core::has(event.kinds, EventKind::other_object)) {
    return event.object == nullptr || event.object->kind == model::Kind::ns;
  }
  if (event.pod == nullptr) return true;
  const model::Pod& other = *event.pod;
  if (core::has(event.kinds, EventKind::pod_added)) {
    const auto wanted = query_of(rejected.spec->affinity.required, rejected.meta.ns);
    return core::matches(cluster, wanted, label_class_of(other));
  }
  if (core::has(event.kinds, EventKind::pod_removed)) {
    return any_is_about(cluster, rejected.spec->anti_affinity.required, rejected, other) ||
           any_is_about(cluster, other.spec->anti_affinity.required, other, rejected);
  }
  return true;
}

core::Prepared<core::FilterEvaluator> InterPodAffinity::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  auto made = std::make_unique<InterPodAffinityFilter>(cluster, pods, counts_);
  // A shape with pod affinity that is on no node yet starts evaluations over when it arrives.
  if (made->says_nothing()) return Prepared::skip();
  return Prepared::ready(std::move(made));
}

core::Prepared<core::ScoreEvaluator> InterPodAffinity::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  if (args_.ignore_preferred_terms_of_existing_pods && !any_preferred(*pods.sample->spec)) {
    return Prepared::skip();
  }
  auto made = std::make_unique<InterPodAffinityScore>(cluster, pods, args_, counts_);
  if (made->says_nothing()) return Prepared::skip();
  return Prepared::ready(std::move(made));
}

}  // namespace tutti::plugins
