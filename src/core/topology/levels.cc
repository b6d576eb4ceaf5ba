#include "core/topology/levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/topology/domains.h"
#include "model/topology.h"

namespace tutti::core {
namespace {

std::vector<std::string> named_keys(const TopologyRequest& request) {
  std::vector<std::string> keys;
  for (const auto* key : {&request.required, &request.preferred, &request.slice_key}) {
    if (!key->empty() && std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
  }
  return keys;
}

// The first Topology, by name, that has all the keys.
const model::Topology* topology_with(const Cluster& cluster, const std::vector<std::string>& keys) {
  for (const auto& [name, object] : cluster.objects(model::Kind::topology)) {
    const auto& topology = model::as<model::Topology>(*object);
    const bool has_all = std::ranges::all_of(keys, [&](const std::string& key) {
      return std::ranges::find(topology.levels, key) != topology.levels.end();
    });
    if (has_all) return &topology;
  }
  return nullptr;
}

std::string disorder(const Levels& levels, const TopologyRequest& request) {
  const auto wider = [&](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && levels.find(a) > levels.find(b);
  };
  constexpr std::string_view kText = "{} topology {} is wider than the {} topology {}";
  if (wider(request.required, request.preferred)) {
    return fmt::format(kText, "preferred", request.preferred, "required", request.required);
  }
  for (const auto& [word, key] :
       {std::pair{"required", &request.required}, {"preferred", &request.preferred}}) {
    if (wider(*key, request.slice_key)) {
      return fmt::format(kText, "slice", request.slice_key, word, *key);
    }
  }
  return {};
}

bool labelled(const Cluster& cluster, NodeId node, const std::string& wide,
              const std::string& narrow) {
  const model::Labels& labels = cluster.node(node).meta.labels;
  return model::find(labels, wide) != nullptr && model::find(labels, narrow) != nullptr;
}

// "node b has rack=r1 in block=b2, node a has it in block=b1": the first such pair by name.
std::string name_contradiction(const Cluster& cluster, const std::string& wide,
                               const std::string& narrow) {
  const DomainColumn& outer = cluster.group_domains(wide);
  const DomainColumn& inner = cluster.group_domains(narrow);
  std::vector<NodeId> nodes;
  cluster.nodes().live().for_each_set(
      [&](std::size_t i) { nodes.push_back({static_cast<std::uint32_t>(i)}); });
  const auto ranks = cluster.nodes().name_ranks();
  std::ranges::sort(nodes, {}, [&](NodeId node) { return ranks[node.index]; });
  std::vector<NodeId> first(inner.values.size());
  for (const NodeId node : nodes) {
    const std::uint32_t domain = inner.domain_of[node.index];
    const std::uint32_t around = outer.domain_of[node.index];
    if (domain == DomainColumn::kNone || around == DomainColumn::kNone) continue;
    NodeId& known = first[domain];
    if (!known.valid()) known = node;
    if (outer.domain_of[known.index] == around) continue;
    const bool labels =
        labelled(cluster, node, wide, narrow) && labelled(cluster, known, wide, narrow);
    return fmt::format("{} contradict each other: node {} has {}={} in {}={}, node {} in {}={}",
                       labels ? "labels" : "labels and devices", cluster.node_name(node), narrow,
                       inner.values[domain], wide, outer.values[around], cluster.node_name(known),
                       wide, outer.values[outer.domain_of[known.index]]);
  }
  return {};
}

// Whether every narrow domain lies in one wide one.
bool nest(const Cluster& cluster, const std::string& wide, const std::string& narrow) {
  const DomainColumn& outer = cluster.group_domains(wide);
  const DomainColumn& inner = cluster.group_domains(narrow);
  std::vector<std::uint32_t> around(inner.values.size(), DomainColumn::kNone);
  for (std::size_t i = 0; i < inner.domain_of.size(); ++i) {
    const std::uint32_t domain = inner.domain_of[i];
    const std::uint32_t here = outer.domain_of[i];
    if (domain == DomainColumn::kNone || here == DomainColumn::kNone) continue;
    if (around[domain] == DomainColumn::kNone) around[domain] = here;
    if (around[domain] != here) return false;
  }
  return true;
}

PluginStatus problem_with(const Cluster& cluster, const Levels& levels,
                          const TopologyRequest& request) {
  for (const std::string& key : levels.keys) {
    if (cluster.group_domains(key).any()) continue;
    return {Code::unschedulable, {}, nowhere_text(cluster, key)};
  }
  if (levels.disordered) return {Code::error, {}, disorder(levels, request)};
  for (std::size_t i = 1; i < levels.keys.size(); ++i) {
    if (nest(cluster, levels.keys[i - 1], levels.keys[i])) continue;
    return {Code::error, {}, name_contradiction(cluster, levels.keys[i - 1], levels.keys[i])};
  }
  return {};
}

}  // namespace

std::size_t Levels::find(const std::string& key) const {
  const auto at = std::ranges::find(keys, key);
  return at == keys.end() ? kNone : static_cast<std::size_t>(at - keys.begin());
}

Levels levels_for(const Cluster& cluster, const TopologyRequest& request) {
  Levels levels;
  levels.keys = named_keys(request);
  if (const auto* topology = topology_with(cluster, levels.keys)) levels.keys = topology->levels;
  levels.disordered = !disorder(levels, request).empty();
  levels.verdict = problem_with(cluster, levels, request);
  return levels;
}

PluginStatus objection_of(const Profile& profile, const Levels& levels) {
  const bool about_nodes = levels.verdict.code != Code::error || !levels.disordered;
  return about_nodes ? profile.said_by_generator(levels.verdict) : levels.verdict;
}

}  // namespace tutti::core
