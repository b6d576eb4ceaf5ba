#include "core/cluster/node_match.h"

#include <algorithm>

#include "expr/label_selector.h"

namespace tutti::core {
namespace {

using model::Requirement;
using MatchOperator = Requirement::Operator;

bool empty(const model::NodeSelectorTerm& term) {
  return term.match_expressions.empty() && term.match_fields.empty();
}

bool valid_field(const Requirement& field) {
  return field.key == "metadata.name" && field.values.size() == 1 &&
         (field.op == MatchOperator::in || field.op == MatchOperator::not_in);
}

bool fields_match(const model::Node& node, const std::vector<Requirement>& fields) {
  return std::ranges::all_of(fields, [&](const Requirement& field) {
    return valid_field(field) &&
           (node.meta.name == field.values[0]) == (field.op == MatchOperator::in);
  });
}

void add_with_label(const Cluster& cluster, std::string_view key, std::string_view value,
                    Bitset& nodes) {
  for (const NodeId node : cluster.labels().nodes_with(key, value)) nodes.set(node.index);
}

Bitset nodes_with_any_value(const Cluster& cluster, const Requirement& requirement) {
  Bitset found(cluster.nodes().slots());
  for (const auto& value : requirement.values) {
    add_with_label(cluster, requirement.key, value, found);
  }
  return found;
}

void keep_those_in_order(const Cluster& cluster, const Requirement& requirement, Bitset& nodes) {
  Bitset with_key(cluster.nodes().slots());
  if (const Bitset* with = cluster.labels().nodes_with_key(requirement.key)) with_key = *with;
  nodes.and_with(with_key);
  nodes.for_each_set([&](std::size_t i) {
    const auto& labels = cluster.node(NodeId{static_cast<std::uint32_t>(i)}).meta.labels;
    if (!expr::matches(requirement, labels)) nodes.reset(i);
  });
}

void keep_matching(const Cluster& cluster, const Requirement& requirement, Bitset& nodes) {
  const Bitset* with_key = cluster.labels().nodes_with_key(requirement.key);
  switch (requirement.op) {
    case MatchOperator::in:
      return nodes.and_with(nodes_with_any_value(cluster, requirement));
    case MatchOperator::not_in:
      return nodes.and_not(nodes_with_any_value(cluster, requirement));
    case MatchOperator::exists:
      return with_key != nullptr ? nodes.and_with(*with_key) : nodes.clear();
    case MatchOperator::does_not_exist:
      if (with_key != nullptr) nodes.and_not(*with_key);
      return;
    case MatchOperator::gt:
    case MatchOperator::lt:
      return keep_those_in_order(cluster, requirement, nodes);
  }
}

void keep_named(const Cluster& cluster, const Requirement& field, Bitset& nodes) {
  if (!valid_field(field)) return nodes.clear();
  const auto named = cluster.nodes().find(field.values[0]);
  const bool keeps = named && nodes.test(named->index);
  if (field.op == MatchOperator::not_in) {
    if (keeps) nodes.reset(named->index);
    return;
  }
  nodes.clear();
  if (keeps) nodes.set(named->index);
}

}  // namespace

bool node_matches(const model::Node& node, const model::NodeSelectorTerm& term) {
  if (empty(term)) return false;
  return fields_match(node, term.match_fields) &&
         std::ranges::all_of(term.match_expressions, [&](const Requirement& requirement) {
           return expr::matches(requirement, node.meta.labels);
         });
}

bool node_matches_any(const model::Node& node, std::span<const model::NodeSelectorTerm> terms) {
  return std::ranges::any_of(terms, [&](const auto& term) { return node_matches(node, term); });
}

bool node_matches(const model::Node& node, const model::PodSpec& spec) {
  const bool labelled = std::ranges::all_of(spec.node_selector, [&](const auto& label) {
    const std::string* value = model::find(node.meta.labels, label.first);
    return value != nullptr && *value == label.second;
  });
  const auto& required = spec.node_affinity.required;
  return labelled && (!required || node_matches_any(node, *required));
}

Bitset nodes_matching(const Cluster& cluster, const model::NodeSelectorTerm& term) {
  if (empty(term)) return Bitset(cluster.nodes().slots());
  Bitset nodes = cluster.nodes().live();
  for (const auto& field : term.match_fields) keep_named(cluster, field, nodes);
  for (const auto& requirement : term.match_expressions) {
    keep_matching(cluster, requirement, nodes);
  }
  return nodes;
}

Bitset nodes_matching_any(const Cluster& cluster, std::span<const model::NodeSelectorTerm> terms) {
  Bitset nodes(cluster.nodes().slots());
  for (const auto& term : terms) nodes.or_with(nodes_matching(cluster, term));
  return nodes;
}

Bitset nodes_matching(const Cluster& cluster, const model::PodSpec& spec) {
  Bitset nodes = cluster.nodes().live();
  for (const auto& [key, value] : spec.node_selector) {
    Bitset with(cluster.nodes().slots());
    add_with_label(cluster, key, value, with);
    nodes.and_with(with);
  }
  if (spec.node_affinity.required) {
    nodes.and_with(nodes_matching_any(cluster, *spec.node_affinity.required));
  }
  return nodes;
}

}  // namespace tutti::core
