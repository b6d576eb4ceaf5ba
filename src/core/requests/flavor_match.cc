#include "core/requests/flavor_match.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cluster/node_match.h"
#include "core/matching/toleration.h"

namespace tutti::core {
namespace {

constexpr std::string_view kTopologyAnnotations[] = {
    "kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-unconstrained-topology",
    "kueue.x-k8s.io/podset-slice-required-topology"};

// Requirements of the pod that speak of labels the flavor has; others are the nodes' own matter.
model::NodeSelectorTerm about(const model::NodeSelectorTerm& term, const model::Labels& labels) {
  model::NodeSelectorTerm out;
  std::ranges::copy_if(term.match_expressions, std::back_inserter(out.match_expressions),
                       [&](const auto& each) { return model::find(labels, each.key) != nullptr; });
  return out;
}

bool labels_match(const model::ResourceFlavor& flavor, const model::PodSpec& spec) {
  model::Node node;
  node.meta.labels = flavor.node_labels;
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* own = model::find(flavor.node_labels, key);
    if (own != nullptr && *own != value) return false;
  }
  if (!spec.node_affinity.required) return true;
  // A term that says nothing of the flavor's labels leaves the flavor open.
  return std::ranges::any_of(*spec.node_affinity.required, [&](const auto& term) {
    const model::NodeSelectorTerm own = about(term, flavor.node_labels);
    return own.match_expressions.empty() || node_matches(node, own);
  });
}

const model::Taint* untolerated(const model::ResourceFlavor& flavor, const model::PodSpec& spec) {
  std::vector<model::Toleration> all = spec.tolerations;
  all.insert(all.end(), flavor.tolerations.begin(), flavor.tolerations.end());
  for (const model::Taint& taint : flavor.node_taints) {
    const bool repels = taint.effect == kNoSchedule || taint.effect == kNoExecute;
    if (repels && !tolerates(all, taint)) return &taint;
  }
  return nullptr;
}

bool is_allowed(const model::AdmissionRequest& request, const std::string& flavor) {
  const std::string* list = model::find(request.meta.annotations, kAllowedFlavors);
  if (list == nullptr) return true;
  std::string_view rest = *list;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    if (one == flavor) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

// The level that pods must, or would like to, share; empty: none is named.
std::string level_of(const model::PodSet& set) {
  if (set.topology && !set.topology->required.empty()) return set.topology->required;
  if (set.topology && !set.topology->preferred.empty()) return set.topology->preferred;
  for (const std::string_view key : {kTopologyAnnotations[0], kTopologyAnnotations[1]}) {
    const std::string* level = model::find(set.pods.annotations, key);
    if (level != nullptr) return *level;
  }
  return {};
}

std::string topology_mismatch(const QuotaObjects& objects, const model::ResourceFlavor& flavor,
                              const model::PodSet& set, bool implied) {
  const bool asks = asks_for_topology(set);
  if (flavor.topology.empty()) {
    return asks ? fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling",
                              flavor.meta.name)
                : std::string();
  }
  if (!asks && !implied) {
    return fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", flavor.meta.name);
  }
  const std::string level = level_of(set);
  const model::Topology* topology = objects.topology(flavor.topology);
  if (level.empty() || topology == nullptr) return {};
  if (std::ranges::find(topology->levels, level) != topology->levels.end()) return {};
  return fmt::format("Flavor \"{}\" does not contain the requested level", flavor.meta.name);
}

}  // namespace

bool asks_for_topology(const model::PodSet& set) {
  if (set.topology) {
    const model::PodSetTopologyRequest& asked = *set.topology;
    if (!asked.required.empty() || !asked.preferred.empty() ||
        asked.unconstrained.value_or(false) || !asked.slice_topology.empty() ||
        !asked.slice_layers.empty()) {
      return true;
    }
  }
  return std::ranges::any_of(kTopologyAnnotations, [&](std::string_view key) {
    return model::find(set.pods.annotations, key) != nullptr;
  });
}

std::string flavor_mismatch(const QuotaObjects& objects, const model::AdmissionRequest& request,
                            const model::PodSet& set, const std::string& name,
                            bool topology_implied) {
  const model::ResourceFlavor* flavor = objects.flavor(name);
  if (flavor == nullptr) return fmt::format("flavor {} not found", name);
  if (!is_allowed(request, name)) {
    return fmt::format("flavor {} is not among those the workload allows", name);
  }
  if (auto why = topology_mismatch(objects, *flavor, set, topology_implied); !why.empty()) {
    return why;
  }
  if (set.pods.spec == nullptr) return {};
  if (const model::Taint* taint = untolerated(*flavor, *set.pods.spec)) {
    return fmt::format("untolerated taint {{{} {} {}}} in flavor {}", taint->key, taint->value,
                       taint->effect, name);
  }
  if (!labels_match(*flavor, *set.pods.spec)) {
    return fmt::format("flavor {} doesn't match node affinity", name);
  }
  return {};
}

}  // namespace tutti::core
