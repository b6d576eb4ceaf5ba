#include "plugins/placement/topology_placement.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/result.h"

namespace tutti::plugins {
namespace {

using Generated = core::PlacementGeneratePlugin::Generated;

std::vector<core::PodId> scheduled_members(const core::GroupTable& groups, core::GroupId group) {
  std::vector<core::PodId> members;
  for (const core::GroupId leaf : groups.leaves(group)) {
    const core::Group& entry = groups[leaf];
    members.insert(members.end(), entry.assumed.begin(), entry.assumed.end());
    members.insert(members.end(), entry.assigned.begin(), entry.assigned.end());
  }
  return members;
}

Error member_error(const core::Cluster& cluster, core::PodId pod, const std::string& problem) {
  return {Error::Code::invalid,
          "scheduled member " + cluster.pod(pod).object->meta.name + " " + problem};
}

// The one domain that all scheduled members are in; kNone when there are none yet.
Result<std::uint32_t> pinned_domain(const core::Cluster& cluster,
                                    const std::vector<core::PodId>& members,
                                    const std::string& key) {
  const core::DomainColumn& domains = cluster.domains(key);
  std::uint32_t pinned = core::DomainColumn::kNone;
  for (const core::PodId pod : members) {
    const core::NodeId node = cluster.pod(pod).node;
    if (!node.valid()) return member_error(cluster, pod, "is on a node that is not known");
    const std::uint32_t domain = domains.domain_of[node.index];
    if (domain == core::DomainColumn::kNone) {
      return member_error(cluster, pod,
                          "is on node " + cluster.node_name(node) + " without label " + key);
    }
    if (pinned == core::DomainColumn::kNone) pinned = domain;
    if (pinned != domain) {
      return member_error(cluster, pod,
                          "is in " + key + "=" + domains.values[domain] + " and others in " +
                              domains.values[pinned]);
    }
  }
  return pinned;
}

// Domains inside `within`, by value: numbers carry no order. Only `wanted`, unless that is kNone.
std::map<std::string, Bitset> domains_within(const core::DomainColumn& domains,
                                             const Bitset& within, std::uint32_t wanted) {
  std::map<std::string, Bitset> found;
  within.for_each_set([&](std::size_t i) {
    const std::uint32_t domain = domains.domain_of[i];
    if (domain == core::DomainColumn::kNone) return;
    if (wanted != core::DomainColumn::kNone && domain != wanted) return;
    found.try_emplace(domains.values[domain], within.size()).first->second.set(i);
  });
  return found;
}

core::Verdict verdict(core::Code code, std::string reason) {
  return {code, TopologyPlacementGenerator::kName, std::move(reason)};
}

}  // namespace

core::EventKind TopologyPlacementGenerator::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_labels | pod_removed | group;
}

Generated TopologyPlacementGenerator::generate(const core::Cluster& cluster,
                                               const core::GroupTable& groups, core::GroupId group,
                                               const Bitset& within) const {
  const std::string& key = groups[group].spec().topology_key;
  if (key.empty()) return {{}, {{"", "", within}}};
  const auto pinned = pinned_domain(cluster, scheduled_members(groups, group), key);
  if (!pinned.ok()) return {verdict(core::Code::error, pinned.error().message), {}};
  Generated generated;
  for (auto& [value, nodes] : domains_within(cluster.domains(key), within, *pinned)) {
    generated.placements.push_back({key, value, std::move(nodes)});
  }
  if (generated.placements.empty()) {
    generated.verdict = verdict(core::Code::unschedulable, "no node belongs to a domain of " + key);
  }
  return generated;
}

}  // namespace tutti::plugins
