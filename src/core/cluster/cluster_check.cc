// The incremental-state invariant: everything derived must equal what a cluster built from nothing
// out of the same objects would hold.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/check.h"
#include "core/cluster/cluster.h"
#include "core/cluster/topology_columns.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Per-node figures under names, so that two clusters with different ids can be compared.
using Figures = std::map<std::string, std::int64_t>;

std::string class_text(const LabelClass& labels) {
  std::string text = "pods of " + labels.ns + (labels.terminating ? " (terminating)" : "");
  for (const auto& [key, value] : labels.labels)
    text.append(" ").append(key).append("=").append(value);
  return text;
}

Figures figures_of(const Cluster& cluster, NodeId node) {
  Figures figures;
  for (std::uint32_t r = 0; r < cluster.resources().count(); ++r) {
    const std::string name(cluster.resources().name({r}));
    if (const auto value = cluster.resources().allocatable({r})[node.index])
      figures["allocatable " + name] = value;
    if (const auto value = cluster.resources().used({r})[node.index])
      figures["used " + name] = value;
  }
  figures["assumed cpu"] = cluster.resources().nonzero_used_cpu()[node.index];
  figures["assumed memory"] = cluster.resources().nonzero_used_memory()[node.index];
  for (std::size_t work = 0; work < kWorkClassCount; ++work) {
    figures[fmt::format("demanding {}", kWorkClassNames[work])] =
        cluster.resources().demanding(static_cast<WorkClass>(work))[node.index];
  }
  figures["unschedulable"] = cluster.nodes().unschedulable().test(node.index);
  figures["pods"] = static_cast<std::int64_t>(cluster.pods().on(node).size());
  for (const auto& [labels, count] : cluster.populations().labels_on(node)) {
    figures[class_text(cluster.label_classes().at(labels))] += count;
  }
  for (const auto& [shape, count] : cluster.populations().special_on(node))
    figures["special shapes"] += count;
  for (const auto& [key, value] : cluster.node(node).meta.labels) {
    figures["label " + key] =
        std::ranges::binary_search(cluster.labels().nodes_with(key, value), node);
    const auto& column = cluster.labels().domains(key);
    figures["domain " + key] = column.values[column.domain_of[node.index]] == value;
  }
  return figures;
}

std::string difference(const std::string& node, const Figures& held, const Figures& rebuilt) {
  const auto of = [](const Figures& figures, const std::string& name) {
    const auto at = figures.find(name);
    return at == figures.end() ? std::int64_t{0} : at->second;
  };
  for (const Figures& side : {held, rebuilt}) {
    for (const auto& [name, ignored] : side) {
      if (of(held, name) != of(rebuilt, name)) {
        return fmt::format("node {}: {} is {}, rebuilt {}", node, name, of(held, name),
                           of(rebuilt, name));
      }
    }
  }
  return {};
}

// The node's domains, as a text that differs wherever anything about them does.
std::string place_text(const Cluster& cluster, const std::string& key, NodeId node) {
  const DomainColumn& column = cluster.group_domains(key);
  std::string text;
  for (const std::uint32_t domain : column.domains_at(node)) {
    text += fmt::format("={} of {} ({} divided) ", column.values[domain], column.node_count[domain],
                        column.divided_count[domain]);
  }
  return text.empty() ? "none" : text;
}

std::string difference_in_domains(const Cluster& held, const Cluster& rebuilt,
                                  const std::string& key) {
  std::string found;
  held.nodes().live().for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    const std::string& name = held.node_name(node);
    const auto is = place_text(held, key, node);
    const auto should_be = place_text(rebuilt, key, *rebuilt.nodes().find(name));
    if (is != should_be && found.empty()) {
      found = fmt::format("node {}: domain of {} is {}, rebuilt {}", name, key, is, should_be);
    }
  });
  const DomainColumn& column = held.group_domains(key);
  const auto& counts = column.node_count;
  const auto in_domains = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::size_t expected = 0;
  held.nodes().live().for_each_set([&](std::size_t i) {
    expected += column.domains_at({static_cast<std::uint32_t>(i)}).size();
  });
  if (found.empty() && in_domains != expected) {
    found = fmt::format("domains of {} have {} nodes, nodes {}", key, in_domains, expected);
  }
  return found;
}

}  // namespace

std::string Cluster::check_consistency() const {
  Cluster rebuilt;
  for (const auto& [key, object] : objects(model::Kind::device_class)) rebuilt.set_object(object);
  for (const auto& [key, object] : objects(model::Kind::resource_slice)) rebuilt.set_object(object);
  // Names that nobody asks for any more have their column still.
  for (std::uint32_t r = 0; r < resources_.count(); ++r)
    TUTTI_CHECK(rebuilt.resource_id(resources_.name({r})).index == r, "names in their order");
  nodes_.live().for_each_set(
      [&](std::size_t i) { rebuilt.set_node(nodes_.object({static_cast<std::uint32_t>(i)})); });
  rebuilt.group_classes_ = group_classes_;
  for (std::uint32_t p = 0; p < pods_.slots(); ++p) {
    const PodEntry& entry = pods_.at({p});
    if (!entry.object) continue;
    auto copy = std::make_shared<model::Pod>(*entry.object);
    if (entry.node.valid()) copy->node_name = node_name(entry.node);
    rebuilt.set_pod(copy);
  }
  for (const auto& [pod, node] : held_) {
    rebuilt.hold(*rebuilt.pods().find(pods_.at(pod).object->meta.uid),
                 *rebuilt.nodes().find(node_name(node)));
  }
  for (std::uint32_t i = 0; i < nodes_.slots(); ++i) {
    const NodeId id{i};
    if (!nodes_.alive(id)) continue;
    const std::string& name = node_name(id);
    const auto other = rebuilt.nodes().find(name);
    if (!other) return "node " + name + " is missing after a rebuild";
    if (auto text = difference(name, figures_of(*this, id), figures_of(rebuilt, *other));
        !text.empty()) {
      return text;
    }
    for (std::uint32_t r = 0; r < resources_.count(); ++r) {
      if (resources_.used({r})[id.index] < 0)
        return fmt::format("node {}: negative use of {}", name, resources_.name({r}));
    }
  }
  for (const std::string& key : topology_->keys()) {
    if (auto text = difference_in_domains(*this, rebuilt, key); !text.empty()) return text;
  }
  if (auto problem = devices_->check(); !problem.empty()) return problem;
  if (populations_.claim_users() != rebuilt.populations_.claim_users())
    return "the counts of claim users differ after a rebuild";
  return {};
}

}  // namespace tutti::core
