#include "explain/wording/objection.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "explain/verdict/text.h"
#include "explain/wording/misspelling.h"
#include "explain/wording/sentence.h"
#include "model/storage.h"

namespace tutti::explain {
namespace {

constexpr std::size_t kReasonsShown = 4;

// The text form of selectors: "gpu in (a,b)", "!spot".
std::string text_of(const model::Requirement& wanted) {
  using Operator = model::Requirement::Operator;
  const auto values = fmt::format("{}", fmt::join(wanted.values, ","));
  switch (wanted.op) {
    case Operator::in:
      if (wanted.values.size() == 1) return fmt::format("{}={}", wanted.key, wanted.values[0]);
      return fmt::format("{} in ({})", wanted.key, values);
    case Operator::not_in:
      return fmt::format("{} notin ({})", wanted.key, values);
    case Operator::exists:
      return wanted.key;
    case Operator::does_not_exist:
      return "!" + wanted.key;
    case Operator::gt:
      return fmt::format("{}>{}", wanted.key, values);
    case Operator::lt:
      return fmt::format("{}<{}", wanted.key, values);
  }
  return {};
}

std::string text_of(const model::NodeSelectorTerm& term) {
  std::vector<std::string> parts;
  for (const auto* wanted : {&term.match_expressions, &term.match_fields}) {
    for (const auto& requirement : *wanted) parts.push_back(text_of(requirement));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

// All that the pod asks of a node's labels: "zone=a and gpu in (h100,a100)".
std::string choice_of(const model::PodSpec& spec) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : spec.node_selector) {
    parts.push_back(fmt::format("{}={}", key, value));
  }
  if (const auto& required = spec.node_affinity.required; required && !required->empty()) {
    std::vector<std::string> terms;
    for (const auto& term : *required) terms.push_back(text_of(term));
    const bool bracket = !parts.empty() && terms.size() > 1;
    const auto either = fmt::format("{}", fmt::join(terms, " or "));
    parts.push_back(bracket ? fmt::format("({})", either) : either);
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

bool is_one_label(const model::PodSpec& spec) {
  const auto& required = spec.node_affinity.required;
  if (!required) return spec.node_selector.size() == 1;
  if (!spec.node_selector.empty() || required->size() != 1) return false;
  const auto& term = required->front();
  return term.match_fields.empty() && term.match_expressions.size() == 1 &&
         term.match_expressions[0].op == model::Requirement::Operator::in &&
         term.match_expressions[0].values.size() == 1;
}

const MemberClass& class_of(const core::Cluster& cluster, const Demand& demand, core::PodId pod) {
  const auto same = std::ranges::find_if(demand.classes, [&](const MemberClass& members) {
    return cluster.pod(members.sample).shape == cluster.pod(pod).shape;
  });
  return same == demand.classes.end() ? demand.classes.front() : *same;
}

// "no node has label gpu=h100 (0 of 12)"; empty if some node is what the pod chooses.
std::string unmatched(const core::Cluster& cluster, const MemberClass& members) {
  const model::PodSpec& spec = *cluster.pod(members.sample).object->spec;
  for (const auto& [key, value] : spec.node_selector) {
    if (!cluster.labels().nodes_with(key, value).empty()) continue;
    const auto meant = meant_label(cluster, key, value);
    return fmt::format(
        "no node has label {}={} (0 of {}){}", key, value, cluster.nodes().count(),
        meant ? fmt::format("; did you mean {}={}?", meant->first, meant->second) : std::string());
  }
  const auto filter = std::ranges::find(members.survey->filters, core::Concern::node_affinity,
                                        &FilterSurvey::Filter::concern);
  if (filter == members.survey->filters.end()) return {};
  if (filter->rejected.count() < members.survey->live.count()) return {};
  const auto choice = choice_of(spec);
  if (choice.empty()) return {};
  return fmt::format("no node {} {} (0 of {})", is_one_label(spec) ? "has label" : "matches",
                     choice, cluster.nodes().count());
}

// Claims that something else must bind before the pod can be placed.
std::vector<std::string> unbound_claims(const core::Cluster& cluster, const model::Pod& pod) {
  std::vector<std::string> names;
  for (const auto& volume : pod.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    const auto* claim = cluster.find_object<model::PersistentVolumeClaim>(pod.meta.ns, volume.id);
    if (claim == nullptr || !claim->volume_name.empty()) continue;
    const auto* kind =
        cluster.find_object<model::StorageClass>({}, claim->storage_class.value_or(""));
    if (kind == nullptr || !kind->wait_for_first_consumer) names.push_back(volume.id);
  }
  return names;
}

// "; did you mean data?", of the first claim of the pod that is not there.
std::string meant_claim(const core::Cluster& cluster, const model::Pod& pod) {
  for (const model::Volume& volume : pod.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    if (cluster.find_object<model::PersistentVolumeClaim>(pod.meta.ns, volume.id)) continue;
    std::vector<std::string_view> known;
    for (const auto& [key, object] : cluster.objects(model::Kind::persistent_volume_claim)) {
      if (key.ns == pod.meta.ns) known.push_back(key.name);
    }
    const std::string_view meant = nearest_word(volume.id, known);
    return meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant);
  }
  return {};
}

// "; StorageClass fastt does not exist", of the first claim that names one that is not there.
std::string missing_class(const core::Cluster& cluster, const model::Pod& pod) {
  for (const std::string& name : unbound_claims(cluster, pod)) {
    const auto* claim = cluster.find_object<model::PersistentVolumeClaim>(pod.meta.ns, name);
    const std::string wanted = claim->storage_class.value_or("");
    if (wanted.empty() || cluster.find_object<model::StorageClass>({}, wanted) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const auto& [key, object] : cluster.objects(model::Kind::storage_class)) {
      known.push_back(key.name);
    }
    const std::string_view meant = nearest_word(wanted, known);
    return fmt::format("; StorageClass {} does not exist{}", wanted,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  }
  return {};
}

// A filter's refusal of the pod as such, wherever it would go; empty if it has none.
std::string refusal(const core::Cluster& cluster, const MemberClass& members,
                    const std::string& plugin) {
  const auto filter =
      std::ranges::find(members.survey->filters, plugin, &FilterSurvey::Filter::plugin);
  if (filter == members.survey->filters.end() || filter->refusal.empty()) return {};
  const model::Pod& pod = *cluster.pod(members.sample).object;
  if (filter->refusal.find("unbound") == std::string::npos) {
    return filter->refusal + meant_claim(cluster, pod);
  }
  const auto claims = unbound_claims(cluster, pod);
  if (claims.empty()) return filter->refusal;
  return fmt::format("{}: {}{}", filter->refusal, fmt::join(claims, ", "),
                     missing_class(cluster, pod));
}

// "3 of 6 nodes had untolerated taint {a: b}, 3 were unschedulable": the dominant plugin's first.
std::string counted_reasons(const core::Diagnosis& diagnosis, const std::string& plugin) {
  std::vector<core::ReasonCount> reasons = diagnosis.reasons;
  std::stable_partition(reasons.begin(), reasons.end(),
                        [&](const core::ReasonCount& reason) { return reason.plugin == plugin; });
  const auto& first = reasons.front();
  auto text =
      first.nodes == 0 ? first.reason : reason_text(first.nodes, diagnosis.nodes, first.reason);
  for (std::size_t i = 1; i < std::min(reasons.size(), kReasonsShown); ++i) {
    const std::size_t nodes = reasons[i].nodes == 0 ? diagnosis.nodes : reasons[i].nodes;
    text += ", " + brief_reason_text(nodes, reasons[i].reason);
  }
  if (reasons.size() > kReasonsShown) {
    text += fmt::format(", and {}", counted(reasons.size() - kReasonsShown, "other reason"));
  }
  return text;
}

// An attempt asks no further filter about a node once one has rejected it.
bool mentions(const core::Diagnosis& diagnosis, const std::string& plugin) {
  return std::ranges::find(diagnosis.reasons, plugin, &core::ReasonCount::plugin) !=
         diagnosis.reasons.end();
}

// How far it came before no node was left.
std::string progress(const core::Attempt& attempt, const Demand& demand, const std::string& pod) {
  const std::size_t had = demand.lone ? 0 : members_had(attempt, demand);
  if (had == 0) return fmt::format("no node takes {} now", pod.empty() ? "it" : pod);
  const std::string_view verb = demand.together ? "fit" : "run";
  return fmt::format("{} of {} members {}{}; no node takes {}", had, demand.required, verb,
                     had == 1 ? "s" : "", pod.empty() ? "the next" : pod);
}

}  // namespace

std::string objection(const core::Attempt& attempt, const core::Cluster& cluster,
                      const Demand& demand, const BlockerChoice& ruling) {
  const auto& object = *cluster.pod(ruling.culprit).object;
  const auto pod = demand.classes.size() == 1
                       ? std::string{}
                       : fmt::format("pod {}/{}", object.meta.ns, object.meta.name);
  const MemberClass& members = class_of(cluster, demand, ruling.culprit);
  auto own = ruling.blocker == Blocker::affinity ? unmatched(cluster, members) : std::string{};
  if (own.empty()) own = refusal(cluster, members, ruling.rejection.plugin);
  if (!own.empty()) return pod.empty() ? own : fmt::format("{}: {}", pod, own);
  const core::ClassReport* report = report_on(attempt, cluster, ruling.culprit);
  if (report != nullptr && mentions(report->diagnosis, ruling.rejection.plugin)) {
    return fmt::format("{}: {}", progress(attempt, demand, pod),
                       counted_reasons(report->diagnosis, ruling.rejection.plugin));
  }
  return reason_text(ruling.rejection.nodes, cluster.nodes().count(),
                     "node(s) are kept from it by " + ruling.rejection.plugin);
}

}  // namespace tutti::explain
