#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::PodAffinity;
using model::PodAffinityTerm;
using model::Toleration;
using model::TopologySpreadConstraint;

void check_weight(std::int32_t weight, const Path& preference, Findings& findings) {
  check_between(weight, 1, 100, preference.field("weight"), findings);
}

void check_node_affinity(const model::NodeAffinity& affinity, const Path& spec,
                         Findings& findings) {
  const Path path = spec.field("affinity.nodeAffinity");
  if (affinity.required) {
    const Path required = path.field("requiredDuringSchedulingIgnoredDuringExecution");
    check_node_terms(*affinity.required, "nodeSelectorTerms", required, findings);
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const Path place = path.item("preferredDuringSchedulingIgnoredDuringExecution", i);
    check_weight(affinity.preferred[i].weight, place, findings);
    check_node_term(affinity.preferred[i].term, place.field("preference"), findings);
  }
}

// Keys whose values the pod's own labels supply; they only make sense beside a selector.
void check_label_keys(const std::vector<std::string>& keys, std::string_view list,
                      bool has_selector, const Path& path, Findings& findings) {
  if (!keys.empty() && !has_selector) {
    findings.add(path.field(list), "must be empty without a labelSelector, has {} entries",
                 keys.size());
  }
  Unique unique;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    check_qualified_name(keys[i], path.item(list, i), findings);
    unique.see(keys[i], path.item(list, i), findings);
  }
}

void check_affinity_term(const PodAffinityTerm& term, const Path& path, Findings& findings) {
  check_qualified_name(term.topology_key, path.field("topologyKey"), findings);
  check_selector(term.selector, path.field("labelSelector"), findings);
  check_selector(term.namespace_selector, path.field("namespaceSelector"), findings);
  for (std::size_t i = 0; i < term.namespaces.size(); ++i) {
    check_dns_label(term.namespaces[i], path.item("namespaces", i), findings);
  }
  const bool has_selector = term.selector.has_value();
  check_label_keys(term.match_label_keys, "matchLabelKeys", has_selector, path, findings);
  check_label_keys(term.mismatch_label_keys, "mismatchLabelKeys", has_selector, path, findings);
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    const std::string& key = term.match_label_keys[i];
    if (std::ranges::find(term.mismatch_label_keys, key) == term.mismatch_label_keys.end())
      continue;
    findings.add(path.item("matchLabelKeys", i), "must not be in mismatchLabelKeys, too: '{}'",
                 key);
  }
}

void check_pod_affinity(const PodAffinity& affinity, const Path& path, Findings& findings) {
  for (std::size_t i = 0; i < affinity.required.size(); ++i) {
    check_affinity_term(affinity.required[i],
                        path.item("requiredDuringSchedulingIgnoredDuringExecution", i), findings);
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const Path place = path.item("preferredDuringSchedulingIgnoredDuringExecution", i);
    check_weight(affinity.preferred[i].weight, place, findings);
    check_affinity_term(affinity.preferred[i].term, place.field("podAffinityTerm"), findings);
  }
}

void check_toleration_value(const Toleration& toleration, const Path& path, Findings& findings) {
  switch (toleration.op) {
    case Toleration::Operator::equal:
      return check_label_value(toleration.value, path.field("value"), findings);
    case Toleration::Operator::exists:
      if (toleration.value.empty()) return;
      findings.add(path.field("value"), "must be empty with operator Exists, is '{}'",
                   toleration.value);
      return;
    case Toleration::Operator::lt:
    case Toleration::Operator::gt:
      return check_integer(toleration.value, path.field("value"), findings);
  }
}

void check_constraint(const TopologySpreadConstraint& constraint, const Path& path,
                      Findings& findings) {
  check_at_least(constraint.max_skew, 1, path.field("maxSkew"), findings);
  check_qualified_name(constraint.topology_key, path.field("topologyKey"), findings);
  if (constraint.min_domains) {
    check_at_least(*constraint.min_domains, 1, path.field("minDomains"), findings);
    if (!constraint.hard) {
      findings.add(path.field("minDomains"),
                   "must be absent unless whenUnsatisfiable is DoNotSchedule, is {}",
                   *constraint.min_domains);
    }
  }
  check_selector(constraint.selector, path.field("labelSelector"), findings);
  check_label_keys(constraint.match_label_keys, "matchLabelKeys", constraint.selector.has_value(),
                   path, findings);
}

void check_spread(const std::vector<TopologySpreadConstraint>& spread, const Path& spec,
                  Findings& findings) {
  Unique keys_and_actions;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    const Path place = spec.item("topologySpreadConstraints", i);
    check_constraint(spread[i], place, findings);
    keys_and_actions.see(fmt::format("{{{}, {}}}", spread[i].topology_key,
                                     spread[i].hard ? "DoNotSchedule" : "ScheduleAnyway"),
                         place, findings);
  }
}

}  // namespace

void check_toleration(const Toleration& toleration, const Path& path, Findings& findings) {
  if (!toleration.key.empty()) {
    check_qualified_name(toleration.key, path.field("key"), findings);
  } else if (toleration.op != Toleration::Operator::exists) {
    findings.add(path.field("operator"), "must be Exists when the key is empty");
  }
  check_toleration_value(toleration, path, findings);
  if (!toleration.effect.empty()) {
    check_one_of(toleration.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 path.field("effect"), findings);
  }
  if (toleration.toleration_seconds && toleration.effect != "NoExecute") {
    findings.add(path.field("effect"), "must be NoExecute when tolerationSeconds is set, is '{}'",
                 toleration.effect);
  }
}

void check_placement(const model::PodSpec& spec, const Path& path, Findings& findings) {
  check_labels(spec.node_selector, "nodeSelector", path, findings);
  check_node_affinity(spec.node_affinity, path, findings);
  check_pod_affinity(spec.affinity, path.field("affinity.podAffinity"), findings);
  check_pod_affinity(spec.anti_affinity, path.field("affinity.podAntiAffinity"), findings);
  for (std::size_t i = 0; i < spec.tolerations.size(); ++i) {
    check_toleration(spec.tolerations[i], path.item("tolerations", i), findings);
  }
  check_spread(spec.spread, path, findings);
}

}  // namespace tutti::admission
