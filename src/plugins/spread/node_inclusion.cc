#include "plugins/spread/node_inclusion.h"

#include <algorithm>

#include "core/cluster/node_match.h"
#include "core/matching/toleration.h"

namespace tutti::plugins {
namespace {

bool tolerated(const std::vector<model::Toleration>& tolerations,
               const std::vector<model::Taint>& taints) {
  return std::ranges::all_of(taints, [&](const model::Taint& taint) {
    return taint.effect == core::kPreferNoSchedule || core::tolerates(tolerations, taint);
  });
}

// Nodes share few distinct taint sets: each is judged once.
Bitset tolerated_nodes(const core::Cluster& cluster,
                       const std::vector<model::Toleration>& tolerations) {
  std::vector<bool> fine(cluster.nodes().taint_set_count());
  for (std::uint32_t set = 0; set < fine.size(); ++set) {
    fine[set] = tolerated(tolerations, cluster.nodes().taint_set({set}));
  }
  Bitset nodes = cluster.nodes().live();
  nodes.for_each_set([&](std::size_t node) {
    if (!fine[cluster.nodes().taint_sets()[node].index]) nodes.reset(node);
  });
  return nodes;
}

}  // namespace

NodeInclusion::NodeInclusion(const core::Cluster& cluster, const core::PodClass& pods,
                             const SpreadRules& rules)
    : with_keys_(cluster.nodes().live()),
      selected_(core::nodes_matching(cluster, *pods.sample->spec)),
      tolerated_(tolerated_nodes(cluster, pods.sample->spec->tolerations)) {
  if (!rules.needs_all_keys) return;
  for (const auto& constraint : rules.constraints) {
    const Bitset* nodes = cluster.labels().nodes_with_key(constraint.topology_key);
    if (nodes == nullptr) {
      with_keys_.clear();
    } else {
      with_keys_.and_with(*nodes);
    }
  }
}

Bitset NodeInclusion::counted_by(const SpreadConstraint& constraint) const {
  Bitset nodes = with_keys_;
  if (constraint.honor_node_affinity) nodes.and_with(selected_);
  if (constraint.honor_node_taints) nodes.and_with(tolerated_);
  return nodes;
}

Bitset NodeInclusion::open_to_the_pod() const {
  Bitset nodes = with_keys_;
  nodes.and_with(selected_);
  nodes.and_with(tolerated_);
  return nodes;
}

}  // namespace tutti::plugins
