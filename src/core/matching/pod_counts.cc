#include "core/matching/pod_counts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "expr/label_selector.h"
#include "model/cluster.h"

namespace tutti::core {
namespace {

// Every namespace carries its own name as a label, whether or not its object was seen.
constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";

bool namespace_matches(const Cluster& cluster, const model::LabelSelector& selector,
                       std::string_view ns) {
  const auto* object = cluster.find_object<model::Namespace>({}, ns);
  return expr::matches(selector, [&](std::string_view key) -> std::optional<std::string_view> {
    const auto* value = object != nullptr ? model::find(object->meta.labels, key) : nullptr;
    if (value != nullptr) return *value;
    if (key == kNamespaceNameLabel) return ns;
    return std::nullopt;
  });
}

}  // namespace

std::optional<PodTerm> pod_term(const model::PodAffinityTerm& term, std::string_view ns) {
  if (!term.selector) return std::nullopt;
  PodTerm made{term.namespaces, term.namespace_selector, *term.selector};
  if (made.namespaces.empty() && !made.namespace_selector) made.namespaces.emplace_back(ns);
  return made;
}

bool matches(const Cluster& cluster, const PodTerm& term, const LabelClass& pods) {
  const bool listed = std::ranges::find(term.namespaces, pods.ns) != term.namespaces.end();
  if (!listed &&
      !(term.namespace_selector && namespace_matches(cluster, *term.namespace_selector, pods.ns))) {
    return false;
  }
  return expr::matches(term.selector, pods.labels);
}

bool matches(const Cluster& cluster, const PodQuery& query, const LabelClass& pods) {
  if (pods.terminating && !query.terminating) return false;
  return !query.all_of.empty() && std::ranges::all_of(query.all_of, [&](const PodTerm& term) {
    return matches(cluster, term, pods);
  });
}

PodCounts::PodCounts(const Cluster& cluster, PodQuery query)
    : cluster_(cluster), query_(std::move(query)) {
  rebuild();
}

bool PodCounts::counts(LabelClassId labels) const {
  if (labels.index >= match_of_.size()) {
    match_of_.resize(std::max<std::size_t>(cluster_.label_classes().slots(), labels.index + 1U),
                     Match::unknown);
  }
  Match& match = match_of_[labels.index];
  if (match == Match::unknown) {
    const bool yes = matches(cluster_, query_, cluster_.label_classes().at(labels));
    match = yes ? Match::yes : Match::no;
  }
  return match == Match::yes;
}

void PodCounts::rebuild() {
  structure_version_ = cluster_.versions().structure;
  sequence_ = cluster_.journal().end();
  match_of_.assign(cluster_.label_classes().slots(), Match::unknown);
  by_node_.assign(cluster_.nodes().slots(), 0);
  cluster_.nodes().live().for_each_set([&](std::size_t node) {
    for (const auto& [labels, count] :
         cluster_.populations().labels_on(NodeId{static_cast<std::uint32_t>(node)})) {
      if (counts(labels)) by_node_[node] += count;
    }
  });
}

void PodCounts::catch_up() {
  const auto changes = cluster_.journal().since(sequence_);
  if (!changes || structure_version_ != cluster_.versions().structure) return rebuild();
  for (const Change& change : *changes) {
    if (counts(change.labels)) {
      TUTTI_CHECK(change.count > 0 || by_node_[change.node.index] > 0,
                  "a pod leaves that never came");
      by_node_[change.node.index] += static_cast<std::uint32_t>(change.count);
    }
  }
  sequence_ = cluster_.journal().end();
}

std::shared_ptr<const PodCounts> PodCountsCache::get(const Cluster& cluster,
                                                     const PodQuery& query) {
  if (cluster_ != &cluster) counts_.clear();
  cluster_ = &cluster;
  const auto known =
      std::ranges::find_if(counts_, [&](const auto& counts) { return counts->query() == query; });
  if (known != counts_.end()) {
    counts_.splice(counts_.begin(), counts_, known);
    counts_.front()->catch_up();
  } else {
    counts_.push_front(std::make_shared<PodCounts>(cluster, query));
    if (counts_.size() > kLimit) counts_.pop_back();
  }
  return counts_.front();
}

}  // namespace tutti::core
