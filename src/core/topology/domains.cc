#include "core/topology/domains.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "core/cluster/topology_columns.h"
#include "devices/device_state.h"
#include "devices/inventory/attributes.h"

namespace tutti::core {
namespace {

Error member_error(const Cluster& cluster, PodId pod, const std::string& problem) {
  return {Error::Code::invalid,
          "scheduled member " + cluster.pod(pod).object->meta.name + " " + problem};
}

// Why the member is in no domain of the key.
std::string outside_text(const Cluster& cluster, const std::string& key, PodId pod) {
  const NodeId node = cluster.pod(pod).node;
  if (cluster.group_domains(key).divided.contains(node)) {
    return fmt::format("has devices of several domains of {} on node {}", key,
                       cluster.node_name(node));
  }
  return fmt::format("is on node {} without label {}{}", cluster.node_name(node), key,
                     may_name_attribute(key) ? " or devices with such an attribute" : "");
}

std::string names_of(const DomainColumn& domains, std::span<const std::uint32_t> of) {
  std::vector<std::string_view> names;
  for (const std::uint32_t domain : of) names.push_back(domains.values[domain]);
  return fmt::format("{}", fmt::join(names, " or "));
}

// What is in both, in the order of the first.
std::vector<std::uint32_t> common(std::span<const std::uint32_t> one,
                                  std::span<const std::uint32_t> other) {
  std::vector<std::uint32_t> both;
  std::ranges::copy_if(one, std::back_inserter(both), [&](std::uint32_t domain) {
    return std::ranges::find(other, domain) != other.end();
  });
  return both;
}

Result<std::vector<std::uint32_t>> domains_of_all(const Cluster& cluster,
                                                  std::span<const PodId> scheduled,
                                                  const std::string& key) {
  const DomainColumn& domains = cluster.group_domains(key);
  std::vector<std::uint32_t> shared;
  for (const PodId pod : scheduled) {
    if (!cluster.pod(pod).node.valid()) {
      return member_error(cluster, pod, "is on a node that is not known");
    }
    const auto there = domains.domains_at(cluster.pod(pod).node);
    if (there.size() == 1 && std::ranges::equal(there, shared)) continue;
    const auto here = domains_of(cluster, pod, key);
    if (here.empty()) return member_error(cluster, pod, outside_text(cluster, key, pod));
    auto both = shared.empty() ? here : common(shared, here);
    if (both.empty()) {
      return member_error(cluster, pod,
                          "is in " + key + "=" + names_of(domains, here) + " and others in " +
                              names_of(domains, shared));
    }
    shared = std::move(both);
  }
  return shared;
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

std::vector<std::uint32_t> domains_of(const Cluster& cluster, PodId pod, const std::string& key) {
  const DomainColumn& domains = cluster.group_domains(key);
  const NodeId node = cluster.pod(pod).node;
  TUTTI_CHECK(node.valid(), "a pod without a node is in no domain");
  const auto there = domains.domains_at(node);
  std::vector<std::uint32_t> in(there.begin(), there.end());
  if (in.size() < 2) return in;
  const auto& device_state = cluster.devices();
  for (const devices::DeviceId device :
       device_state.questions().devices_of(*cluster.pod(pod).object)) {
    const auto values = devices::values_of(device_state.inventory(), device, key);
    if (values.empty()) continue;
    std::erase_if(in, [&](std::uint32_t domain) {
      return std::ranges::find(values, device_value(key, domains.values[domain])) == values.end();
    });
  }
  return in;
}

std::vector<std::string> domain_values(const Cluster& cluster, const std::string& key,
                                       const model::Pod& pod) {
  const DomainColumn& domains = cluster.group_domains(key);
  std::vector<std::uint32_t> in;
  const auto known = cluster.pods().find(pod.meta.uid);
  if (known && cluster.pod(*known).node.valid()) {
    in = domains_of(cluster, *known, key);
  } else if (const auto node = cluster.nodes().find(pod.node_name)) {
    const auto there = domains.domains_at(*node);
    in.assign(there.begin(), there.end());
  }
  std::vector<std::string> values;
  for (const std::uint32_t domain : in) values.push_back(domains.values[domain]);
  return values;
}

Result<std::vector<std::uint32_t>> common_domains(const Cluster& cluster,
                                                  std::span<const PodId> scheduled,
                                                  const std::string& key) {
  auto found = domains_of_all(cluster, scheduled, key);
  if (found.ok()) return found;
  // Whom the message names must not depend on the order in which members were seen.
  std::vector<PodId> by_name(scheduled.begin(), scheduled.end());
  std::ranges::sort(by_name, {}, [&](PodId pod) -> const std::string& {
    return cluster.pod(pod).object->meta.name;
  });
  return domains_of_all(cluster, by_name, key);
}

std::vector<Placement> domains_within(const Cluster& cluster, const std::string& key,
                                      const Bitset& within, std::span<const std::uint32_t> wanted) {
  constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);
  const DomainColumn& domains = cluster.group_domains(key);
  std::vector<Placement> found;
  std::vector<std::size_t> place_of(domains.values.size(), kUnseen);
  const auto put = [&](std::size_t node, std::uint32_t domain) -> Placement* {
    if (!wanted.empty() && std::ranges::find(wanted, domain) == wanted.end()) return nullptr;
    if (place_of[domain] == kUnseen) {
      place_of[domain] = found.size();
      found.push_back({key, domains.values[domain], Bitset(within.size())});
    }
    found[place_of[domain]].nodes.set(node);
    return &found[place_of[domain]];
  };
  within.for_each_set([&](std::size_t i) {
    if (domains.domain_of[i] != DomainColumn::kNone) put(i, domains.domain_of[i]);
  });
  for (const auto& [node, several] : domains.divided) {
    if (!within.test(node.index)) continue;
    for (const std::uint32_t domain : several) {
      Placement* placement = put(node.index, domain);
      if (placement == nullptr || placement->confinement.valid()) continue;
      const devices::Bound bound{key, std::string(device_value(key, placement->value))};
      placement->confinement = cluster.devices().confinements().intern({bound});
    }
  }
  std::ranges::sort(found, {}, &Placement::value);
  return found;
}

Bitset nodes_bounded_by(const Cluster& cluster, const devices::Bound& bound) {
  const DomainColumn& domains = cluster.group_domains(bound.attribute);
  std::vector<bool> asked;
  for (const std::string& value : domains.values) {
    asked.push_back(device_value(bound.attribute, value) == bound.value);
  }
  Bitset nodes(cluster.nodes().slots());
  cluster.nodes().live().for_each_set([&](std::size_t i) {
    const auto there = domains.domains_at({static_cast<std::uint32_t>(i)});
    if (std::ranges::any_of(there, [&](std::uint32_t domain) { return asked[domain]; })) {
      nodes.set(i);
    }
  });
  return nodes;
}

std::optional<std::string> domain_at(const Cluster& cluster, const std::string& key,
                                     std::string_view node) {
  const auto id = cluster.nodes().find(node);
  const auto* value = id ? cluster.group_domains(key).value_of(*id) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

namespace {

std::string no_attribute_text(const Cluster& cluster, const std::string& key) {
  return devices::wide_values(cluster.devices().inventory(), key).empty()
             ? "no device such an attribute"
             : "only devices that no node can use have such an attribute";
}

}  // namespace

std::string nowhere_text(const Cluster& cluster, const std::string& key) {
  return fmt::format("no node has label {}{}", key,
                     may_name_attribute(key) ? ", and " + no_attribute_text(cluster, key) : "");
}

std::string placement_text(const Cluster& cluster, const std::string& key,
                           std::span<const PodId> pods) {
  if (key.empty()) return {};
  std::vector<std::uint32_t> shared;
  for (const PodId pod : pods) {
    if (!cluster.pod(pod).node.valid()) continue;
    auto here = domains_of(cluster, pod, key);
    if (!shared.empty()) here = common(shared, here);
    if (!here.empty()) shared = std::move(here);
    if (shared.size() == 1) break;
  }
  if (shared.empty()) return {};
  return key + "=" + cluster.group_domains(key).values[shared.front()];
}

}  // namespace tutti::core
