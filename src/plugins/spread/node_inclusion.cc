#include "plugins/spread/node_inclusion.h"

#include <algorithm>

#include "core/node_match.h"

namespace tutti::plugins {

NodeInclusion::NodeInclusion(const core::Cluster& cluster, const core::PodClass& pods,
                             const SpreadRules& rules)
    : with_keys_(cluster.live_nodes()),
      selected_(core::nodes_matching(cluster, *pods.sample->spec)),
      tolerated_(core::nodes_tolerated(cluster, pods.sample->spec->tolerations)) {
  if (!rules.needs_all_keys) return;
  for (const auto& constraint : rules.constraints) {
    const Bitset* nodes = cluster.nodes_with_key(constraint.topology_key);
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
