#include "plugins/spread/constraints.h"

#include <algorithm>
#include <utility>

#include "expr/label_selector.h"
#include "model/apps.h"

namespace tutti::plugins {
namespace {

using model::LabelSelector;

bool empty(const LabelSelector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}

const std::vector<model::TopologySpreadConstraint>& built_in_defaults() {
  const auto soft = [](std::int32_t max_skew, std::string key) {
    model::TopologySpreadConstraint made;
    made.max_skew = max_skew;
    made.topology_key = std::move(key);
    made.hard = false;
    return made;
  };
  static const std::vector<model::TopologySpreadConstraint> defaults = {
      soft(3, "kubernetes.io/hostname"), soft(5, "topology.kubernetes.io/zone")};
  return defaults;
}

// Calls fn with every object of type T in the namespace.
template <typename T, typename Fn>
void for_each_in(const core::Cluster& cluster, const std::string& ns, Fn&& fn) {
  const auto& all = cluster.objects(T::kKind);
  for (auto at = all.lower_bound({T::kKind, ns, {}, {}}); at != all.end() && at->first.ns == ns;
       ++at) {
    fn(model::as<T>(*at->second));
  }
}

void merge(LabelSelector& into, const model::Labels& labels) {
  for (const auto& pair : labels) {
    const auto at = std::ranges::lower_bound(into.match_labels, pair);
    if (at == into.match_labels.end() || *at != pair) into.match_labels.insert(at, pair);
  }
}

void merge(LabelSelector& into, const LabelSelector& more) {
  merge(into, more.match_labels);
  into.match_expressions.insert(into.match_expressions.end(), more.match_expressions.begin(),
                                more.match_expressions.end());
}

// What the objects selecting the pods select together. Empty when there are none.
LabelSelector owners_selector(const core::Cluster& cluster, const model::ObjectMeta& pod) {
  LabelSelector joined;
  const auto by_labels = [&](const auto& owner) {
    const LabelSelector selector{owner.selector, {}};
    if (!owner.selector.empty() && expr::matches(selector, pod.labels)) merge(joined, selector);
  };
  const auto by_selector = [&](const auto& owner) {
    if (owner.selector && expr::matches(*owner.selector, pod.labels)) {
      merge(joined, *owner.selector);
    }
  };
  for_each_in<model::Service>(cluster, pod.ns, by_labels);
  for_each_in<model::ReplicationController>(cluster, pod.ns, by_labels);
  for_each_in<model::ReplicaSet>(cluster, pod.ns, by_selector);
  for_each_in<model::StatefulSet>(cluster, pod.ns, by_selector);
  return joined;
}

SpreadConstraint resolved(const model::TopologySpreadConstraint& from,
                          std::optional<LabelSelector> selector, const model::ObjectMeta& pod) {
  SpreadConstraint made;
  made.max_skew = from.max_skew;
  made.min_domains = from.min_domains.value_or(1);
  made.topology_key = from.topology_key;
  made.honor_node_affinity = from.honor_node_affinity;
  made.honor_node_taints = from.honor_node_taints;
  if (!selector) return made;
  made.matches_itself = expr::matches(*selector, pod.labels);
  // kube-scheduler counts no pod for a selector that asks for nothing.
  if (!empty(*selector)) {
    made.counted = core::PodQuery{{{{pod.ns}, std::nullopt, *std::move(selector)}}, false};
  }
  return made;
}

std::optional<LabelSelector> with_label_keys(const model::TopologySpreadConstraint& constraint,
                                             const model::Labels& labels) {
  auto selector = constraint.selector;
  if (!selector) return selector;
  for (const auto& key : constraint.match_label_keys) {
    const std::string* value = model::find(labels, key);
    if (value != nullptr) merge(*selector, model::Labels{{key, *value}});
  }
  return selector;
}

}  // namespace

SpreadRules spread_rules(const core::Cluster& cluster, const core::PodClass& pods,
                         const core::PodTopologySpreadArgs& args, Strictness strictness) {
  const model::Pod& pod = *pods.sample;
  const auto wanted = [&](const model::TopologySpreadConstraint& constraint) {
    return constraint.hard == (strictness == Strictness::do_not_schedule);
  };
  SpreadRules rules;
  if (!pod.spec->spread.empty()) {
    for (const auto& constraint : pod.spec->spread) {
      if (!wanted(constraint)) continue;
      rules.constraints.push_back(
          resolved(constraint, with_label_keys(constraint, pod.meta.labels), pod.meta));
    }
    return rules;
  }
  const bool built_in = args.defaulting == core::PodTopologySpreadArgs::Defaulting::system;
  const auto& defaults = built_in ? built_in_defaults() : args.default_constraints;
  if (std::ranges::none_of(defaults, wanted)) return rules;
  const LabelSelector selector = owners_selector(cluster, pod.meta);
  if (empty(selector)) return rules;
  rules.needs_all_keys = !built_in;
  for (const auto& constraint : defaults) {
    if (wanted(constraint)) rules.constraints.push_back(resolved(constraint, selector, pod.meta));
  }
  return rules;
}

}  // namespace tutti::plugins
