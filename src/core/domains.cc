#include "core/domains.h"

#include <algorithm>

namespace tutti::core {
namespace {

Error member_error(const Cluster& cluster, PodId pod, const std::string& problem) {
  return {Error::Code::invalid,
          "scheduled member " + cluster.pod(pod).object->meta.name + " " + problem};
}

Result<std::uint32_t> domain_of_all(const Cluster& cluster, std::span<const PodId> scheduled,
                                    const std::string& key) {
  const DomainColumn& domains = cluster.domains(key);
  std::uint32_t common = DomainColumn::kNone;
  for (const PodId pod : scheduled) {
    const NodeId node = cluster.pod(pod).node;
    if (!node.valid()) return member_error(cluster, pod, "is on a node that is not known");
    const std::uint32_t domain = domains.domain_of[node.index];
    if (domain == DomainColumn::kNone) {
      return member_error(cluster, pod,
                          "is on node " + cluster.node_name(node) + " without label " + key);
    }
    if (common == DomainColumn::kNone) common = domain;
    if (common != domain) {
      return member_error(cluster, pod,
                          "is in " + key + "=" + domains.values[domain] + " and others in " +
                              domains.values[common]);
    }
  }
  return common;
}

}  // namespace

std::vector<PodId> scheduled_members(const GroupTable& groups, GroupId group) {
  std::vector<PodId> members;
  for (const GroupId leaf : groups.leaves(group)) {
    const Group& entry = groups[leaf];
    members.insert(members.end(), entry.assumed.begin(), entry.assumed.end());
    members.insert(members.end(), entry.assigned.begin(), entry.assigned.end());
  }
  return members;
}

Result<std::uint32_t> common_domain(const Cluster& cluster, std::span<const PodId> scheduled,
                                    const std::string& key) {
  const auto common = domain_of_all(cluster, scheduled, key);
  if (common.ok()) return common;
  // Whom the message names must not depend on the order in which members were seen.
  std::vector<PodId> by_name(scheduled.begin(), scheduled.end());
  std::ranges::sort(by_name, {}, [&](PodId pod) -> const std::string& {
    return cluster.pod(pod).object->meta.name;
  });
  return domain_of_all(cluster, by_name, key);
}

std::vector<Placement> domains_within(const Cluster& cluster, const std::string& key,
                                      const Bitset& within, std::uint32_t wanted) {
  constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);
  const DomainColumn& domains = cluster.domains(key);
  std::vector<Placement> found;
  std::vector<std::size_t> place_of(domains.values.size(), kUnseen);
  within.for_each_set([&](std::size_t i) {
    const std::uint32_t domain = domains.domain_of[i];
    if (domain == DomainColumn::kNone) return;
    if (wanted != DomainColumn::kNone && domain != wanted) return;
    if (place_of[domain] == kUnseen) {
      place_of[domain] = found.size();
      found.push_back({key, domains.values[domain], Bitset(within.size())});
    }
    found[place_of[domain]].nodes.set(i);
  });
  std::ranges::sort(found, {}, &Placement::value);
  return found;
}

std::string placement_text(const Cluster& cluster, const std::string& key,
                           std::span<const PodId> pods) {
  if (key.empty()) return {};
  const DomainColumn& domains = cluster.domains(key);
  for (const PodId pod : pods) {
    const NodeId node = cluster.pod(pod).node;
    if (!node.valid() || domains.domain_of[node.index] == DomainColumn::kNone) continue;
    return key + "=" + domains.values[domains.domain_of[node.index]];
  }
  return {};
}

}  // namespace tutti::core
