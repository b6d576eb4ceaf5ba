// What may change in a pod once it exists:
//
//   always   images, more tolerations, fewer gates, a shorter active deadline, and a negative grace
//            period to 1
//   gated    besides, a narrower node selector and node affinity: whoever holds the gate may still
//            say where, but never widen what the author allowed
//   never    the rest. A node is given by binding, resources change by resizing.
#include <algorithm>

#include "admission/rules/update_rules.h"

namespace tutti::admission {
namespace {

using model::Container;
using model::NodeAffinity;
using model::NodeSelectorTerm;
using model::Pod;
using model::PodSpec;
using model::Toleration;

template <typename T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::ranges::find(list, value) != list.end();
}

void check_container_change(const Container& before, const Container& after, const Path& path,
                            Findings& findings) {
  check_frozen_text(before.name, after.name, path.field("name"), findings);
  check_frozen(before.requests, after.requests, path.field("resources.requests"), findings);
  check_frozen(before.limits, after.limits, path.field("resources.limits"), findings);
  check_frozen(before.ports, after.ports, path.field("ports"), findings);
  check_frozen(before.restart_always, after.restart_always, path.field("restartPolicy"), findings);
}

void check_container_changes(const std::vector<Container>& before,
                             const std::vector<Container>& after, std::string_view list,
                             const Path& spec, Findings& findings) {
  if (before.size() != after.size()) {
    findings.add(spec.field(list), "must keep its {} entries, has {}", before.size(), after.size());
    return;
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    check_container_change(before[i], after[i], spec.item(list, i), findings);
  }
}

// How long a NoExecute taint is endured may be corrected; the toleration itself must stay.
bool still_tolerated(const Toleration& before, const Toleration& after) {
  Toleration same_seconds = after;
  if (before.effect == "NoExecute") same_seconds.toleration_seconds = before.toleration_seconds;
  return before == same_seconds;
}

void check_toleration_changes(const std::vector<Toleration>& before,
                              const std::vector<Toleration>& after, const Path& spec,
                              Findings& findings) {
  for (const Toleration& old : before) {
    const auto keeps = [&](const Toleration& now) { return still_tolerated(old, now); };
    if (std::ranges::any_of(after, keeps)) continue;
    findings.add(spec.field("tolerations"), "may only gain entries, lost the one of key '{}'",
                 old.key);
  }
}

void check_gate_changes(const PodSpec& before, const PodSpec& after, const Path& spec,
                        Findings& findings) {
  for (const std::string& gate : after.scheduling_gates) {
    if (contains(before.scheduling_gates, gate)) continue;
    findings.add(spec.field("schedulingGates"), "may only lose entries, gained '{}'", gate);
  }
}

void check_deadline_change(const PodSpec& before, const PodSpec& after, const Path& spec,
                           Findings& findings) {
  const auto& was = before.active_deadline_seconds;
  const auto& is = after.active_deadline_seconds;
  if (!was || (is && *is <= *was)) return;
  findings.add(spec.field("activeDeadlineSeconds"), "may only be set or shortened: was {}, is {}",
               *was, is ? std::to_string(*is) : "absent");
}

void check_grace_change(const PodSpec& before, const PodSpec& after, const Path& spec,
                        Findings& findings) {
  const auto& was = before.termination_grace_seconds;
  if (was && *was < 0 && after.termination_grace_seconds == 1) return;
  check_frozen(was, after.termination_grace_seconds, spec.field("terminationGracePeriodSeconds"),
               findings);
}

bool begins_with(const std::vector<model::Requirement>& longer,
                 const std::vector<model::Requirement>& shorter) {
  return longer.size() >= shorter.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

// Requirements of a term are ANDed, so a longer term matches fewer nodes. An empty term matches
// none, and must stay empty.
bool is_narrower_term(const NodeSelectorTerm& before, const NodeSelectorTerm& after) {
  const bool matches_none = before.match_expressions.empty() && before.match_fields.empty();
  if (matches_none) return before == after;
  return begins_with(after.match_expressions, before.match_expressions) &&
         begins_with(after.match_fields, before.match_fields);
}

// Preferences reject no node and may change at will.
bool is_narrower(const NodeAffinity& before, const NodeAffinity& after) {
  if (!before.required) return true;
  if (!after.required || after.required->size() != before.required->size()) return false;
  return std::ranges::equal(*before.required, *after.required, is_narrower_term);
}

void check_narrowing(const PodSpec& before, const PodSpec& after, const Path& spec,
                     Findings& findings) {
  for (const auto& label : before.node_selector) {
    if (contains(after.node_selector.list(), label)) continue;
    findings.add(spec.entry("nodeSelector", label.first),
                 "may only gain entries while the pod is gated; '{}' must stay", label.second);
  }
  if (!is_narrower(before.node_affinity, after.node_affinity)) {
    findings.add(spec.field("affinity.nodeAffinity"),
                 "may only be narrowed while the pod is gated: keep each required term, adding "
                 "requirements at its end");
  }
}

void check_node_choice(const PodSpec& before, const PodSpec& after, const Path& spec,
                       Findings& findings) {
  if (!before.scheduling_gates.empty()) return check_narrowing(before, after, spec, findings);
  check_frozen(before.node_selector, after.node_selector, spec.field("nodeSelector"), findings);
  check_frozen(before.node_affinity, after.node_affinity, spec.field("affinity.nodeAffinity"),
               findings);
}

void check_frozen_fields(const PodSpec& before, const PodSpec& after, const Path& spec,
                         Findings& findings) {
  check_frozen(before.overhead, after.overhead, spec.field("overhead"), findings);
  check_frozen(before.pod_requests, after.pod_requests, spec.field("resources.requests"), findings);
  check_frozen(before.affinity, after.affinity, spec.field("affinity.podAffinity"), findings);
  check_frozen(before.anti_affinity, after.anti_affinity, spec.field("affinity.podAntiAffinity"),
               findings);
  check_frozen(before.spread, after.spread, spec.field("topologySpreadConstraints"), findings);
  check_frozen(before.volumes, after.volumes, spec.field("volumes"), findings);
  check_frozen(before.resource_claims, after.resource_claims, spec.field("resourceClaims"),
               findings);
  check_frozen(before.host_network, after.host_network, spec.field("hostNetwork"), findings);
  check_frozen_text(before.scheduler_name, after.scheduler_name, spec.field("schedulerName"),
                    findings);
  check_frozen_text(before.priority_class_name, after.priority_class_name,
                    spec.field("priorityClassName"), findings);
  check_frozen_text(before.scheduling_group, after.scheduling_group,
                    spec.field("schedulingGroup.podGroupName"), findings);
  check_frozen_text(before.restart_policy, after.restart_policy, spec.field("restartPolicy"),
                    findings);
}

void check_spec_change(const PodSpec& before, const PodSpec& after, const Path& spec,
                       Findings& findings) {
  check_container_changes(before.init_containers, after.init_containers, "initContainers", spec,
                          findings);
  check_container_changes(before.containers, after.containers, "containers", spec, findings);
  check_node_choice(before, after, spec, findings);
  check_toleration_changes(before.tolerations, after.tolerations, spec, findings);
  check_gate_changes(before, after, spec, findings);
  check_deadline_change(before, after, spec, findings);
  check_grace_change(before, after, spec, findings);
  check_frozen_fields(before, after, spec, findings);
}

}  // namespace

void check_change(const Pod& before, const Pod& after, Findings& findings) {
  TUTTI_CHECK(before.spec != nullptr && after.spec != nullptr);
  const Path spec("spec");
  // Most updates are of the status and share the spec.
  if (before.spec != after.spec) check_spec_change(*before.spec, *after.spec, spec, findings);
  if (before.node_name != after.node_name) {
    findings.add(spec.field("nodeName"), "changes by binding only: was '{}', is '{}'",
                 before.node_name, after.node_name);
  }
  check_frozen(before.priority, after.priority, spec.field("priority"), findings);
  check_frozen(before.preemption_policy, after.preemption_policy, spec.field("preemptionPolicy"),
               findings);
}

}  // namespace tutti::admission
