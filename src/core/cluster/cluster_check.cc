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
  for (std::uint32_t r = 0; r < cluster.resource_count(); ++r) {
    const std::string name(cluster.resource_name({r}));
    if (const auto value = cluster.allocatable({r})[node.index])
      figures["allocatable " + name] = value;
    if (const auto value = cluster.used({r})[node.index]) figures["used " + name] = value;
  }
  figures["assumed cpu"] = cluster.nonzero_used_cpu()[node.index];
  figures["assumed memory"] = cluster.nonzero_used_memory()[node.index];
  for (std::size_t work = 0; work < kWorkClassCount; ++work) {
    figures[fmt::format("demanding {}", kWorkClassNames[work])] =
        cluster.demanding(static_cast<WorkClass>(work))[node.index];
  }
  figures["unschedulable"] = cluster.unschedulable_nodes().test(node.index);
  figures["pods"] = static_cast<std::int64_t>(cluster.pods_on(node).size());
  for (const auto& [labels, count] : cluster.population(node)) {
    figures[class_text(cluster.label_class(labels))] += count;
  }
  for (const auto& [shape, count] : cluster.special_shapes(node))
    figures["special shapes"] += count;
  for (const auto& [key, value] : cluster.node(node).meta.labels) {
    figures["label " + key] =
        std::ranges::binary_search(cluster.nodes_with_label(key, value), node);
    const auto& column = cluster.domains(key);
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
  held.live_nodes().for_each_set([&](std::size_t i) {
    const NodeId node{static_cast<std::uint32_t>(i)};
    const std::string& name = held.node_name(node);
    const auto is = place_text(held, key, node);
    const auto should_be = place_text(rebuilt, key, *rebuilt.find_node(name));
    if (is != should_be && found.empty()) {
      found = fmt::format("node {}: domain of {} is {}, rebuilt {}", name, key, is, should_be);
    }
  });
  const DomainColumn& column = held.group_domains(key);
  const auto& counts = column.node_count;
  const auto in_domains = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::size_t expected = 0;
  held.live_nodes().for_each_set([&](std::size_t i) {
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
  for (std::uint32_t r = 0; r < resource_count(); ++r)
    TUTTI_CHECK(rebuilt.resource_id(resource_name({r})).index == r, "names in their order");
  live_.for_each_set([&](std::size_t i) { rebuilt.set_node(nodes_[i]); });
  rebuilt.group_classes_ = group_classes_;
  for (const PodEntry& entry : pods_) {
    if (!entry.object) continue;
    auto copy = std::make_shared<model::Pod>(*entry.object);
    if (entry.node.valid()) copy->node_name = node_name(entry.node);
    rebuilt.set_pod(copy);
  }
  for (const auto& [pod, node] : held_) {
    rebuilt.hold(*rebuilt.find_pod(pods_[pod.index].object->meta.uid),
                 *rebuilt.find_node(node_name(node)));
  }
  for (const auto& [name, id] : node_ids_) {
    const auto other = rebuilt.find_node(name);
    if (!other) return "node " + name + " is missing after a rebuild";
    if (auto text = difference(name, figures_of(*this, id), figures_of(rebuilt, *other));
        !text.empty()) {
      return text;
    }
    for (std::uint32_t r = 0; r < resource_count(); ++r) {
      if (used_[r][id.index] < 0)
        return fmt::format("node {}: negative use of {}", name, resource_name({r}));
    }
  }
  for (const std::string& key : topology_->keys()) {
    if (auto text = difference_in_domains(*this, rebuilt, key); !text.empty()) return text;
  }
  if (auto problem = devices_->check(); !problem.empty()) return problem;
  if (claim_users_ != rebuilt.claim_users_)
    return "the counts of claim users differ after a rebuild";
  return {};
}

}  // namespace tutti::core
