// Node selectors: which nodes satisfy nodeSelector labels and NodeSelectorTerms. Used by node
// affinity, volume topology and spread alike.
//
// Terms are ORed, conditions inside a term ANDed; a term without conditions matches nothing. Fields
// know only metadata.name with In or NotIn of one value; anything else makes its term match
// nothing, as in kube-scheduler.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::core {

bool node_matches(const model::Node& node, const model::NodeSelectorTerm& term);
bool node_matches_any(const model::Node& node, std::span<const model::NodeSelectorTerm> terms);
// nodeSelector and required node affinity of a pod together.
bool node_matches(const model::Node& node, const model::PodSpec& spec);

// Answer like the functions above, for all live nodes, from the cluster's label indexes.
Bitset nodes_matching(const Cluster& cluster, const model::NodeSelectorTerm& term);
Bitset nodes_matching_any(const Cluster& cluster, std::span<const model::NodeSelectorTerm> terms);
Bitset nodes_matching(const Cluster& cluster, const model::PodSpec& spec);

}  // namespace tutti::core
