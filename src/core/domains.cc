#include "core/domains.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/topology_columns.h"
#include "devices/picture.h"

namespace tutti::core {
namespace {

Error member_error(const Cluster& cluster, PodId pod, const std::string& problem) {
  return {Error::Code::invalid,
          "scheduled member " + cluster.pod(pod).object->meta.name + " " + problem};
}

// Why the node is in no domain of the key.
std::string outside_text(const Cluster& cluster, const std::string& key, NodeId node) {
  const auto& divided = cluster.divided_nodes(key);
  if (const auto at = divided.find(node); at != divided.end()) {
    return fmt::format(", whose devices have {} values of {}", at->second, key);
  }
  return fmt::format(" without label {}{}", key,
                     may_name_attribute(key) ? " or devices with such an attribute" : "");
}

Result<std::uint32_t> domain_of_all(const Cluster& cluster, std::span<const PodId> scheduled,
                                    const std::string& key) {
  const DomainColumn& domains = cluster.group_domains(key);
  std::uint32_t common = DomainColumn::kNone;
  for (const PodId pod : scheduled) {
    const NodeId node = cluster.pod(pod).node;
    if (!node.valid()) return member_error(cluster, pod, "is on a node that is not known");
    const std::uint32_t domain = domains.domain_of[node.index];
    if (domain == DomainColumn::kNone) {
      return member_error(
          cluster, pod, "is on node " + cluster.node_name(node) + outside_text(cluster, key, node));
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
  const DomainColumn& domains = cluster.group_domains(key);
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

std::optional<std::string> domain_at(const Cluster& cluster, const std::string& key,
                                     std::string_view node) {
  const auto id = cluster.find_node(node);
  const auto* value = id ? cluster.group_domains(key).value_of(*id) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

namespace {

// Devices that several nodes share put none of them in a domain.
std::string no_attribute_text(const Cluster& cluster, const std::string& key) {
  const auto& inventory = cluster.devices().inventory();
  const std::size_t slash = key.find('/');
  const auto publishes = [&](devices::PoolId id) {
    const devices::Pool& pool = inventory.pool(id);
    return std::ranges::any_of(pool.devices, [&](devices::DeviceId device) {
      return std::ranges::any_of(inventory.device(device).device->attributes, [&](const auto& it) {
        return it.name == key || (key.compare(0, slash, pool.driver) == 0 &&
                                  key.compare(slash + 1, std::string::npos, it.name) == 0);
      });
    });
  };
  return std::ranges::any_of(inventory.wide_pools(), publishes)
             ? "only devices that several nodes share have such an attribute"
             : "no device such an attribute";
}

}  // namespace

std::string nowhere_text(const Cluster& cluster, const std::string& key) {
  if (auto divided = divided_text(cluster, key); !divided.empty()) return divided;
  return fmt::format("no node has label {}{}", key,
                     may_name_attribute(key) ? ", and " + no_attribute_text(cluster, key) : "");
}

std::string divided_text(const Cluster& cluster, const std::string& key) {
  const auto& divided = cluster.divided_nodes(key);
  if (divided.empty()) return {};
  const auto first = std::ranges::min_element(divided, {}, [&](const auto& node) {
    return std::string_view(cluster.node_name(node.first));
  });
  const auto others =
      divided.size() > 1 ? fmt::format(" and those of {} more likewise", divided.size() - 1) : "";
  return fmt::format(
      "devices of node {} have {} values of {}{}, which puts it in no domain (matchAttribute in a "
      "claim keeps the devices of one pod together)",
      cluster.node_name(first->first), first->second, key, others);
}

std::string placement_text(const Cluster& cluster, const std::string& key,
                           std::span<const PodId> pods) {
  if (key.empty()) return {};
  const DomainColumn& domains = cluster.group_domains(key);
  for (const PodId pod : pods) {
    const NodeId node = cluster.pod(pod).node;
    const auto* value = node.valid() ? domains.value_of(node) : nullptr;
    if (value != nullptr) return key + "=" + *value;
  }
  return {};
}

}  // namespace tutti::core
