#include "explain/findings/reserved_capacity.h"

#include <algorithm>
#include <map>
#include <utility>

#include "explain/findings/work_name.h"

namespace tutti::explain {
namespace {

using Amounts = std::map<std::pair<core::NodeId, core::ResourceId>, std::int64_t>;

Amounts kept_amounts(const core::Cluster& cluster) {
  Amounts kept;
  for (const auto& [pod, node] : cluster.held()) {
    for (const auto& request : cluster.shape(cluster.pod(pod).shape).requests) {
      kept[{node, request.resource}] += request.amount;
    }
  }
  return kept;
}

// As many as the node would take if it kept nothing.
std::int64_t would_fit(const core::Cluster& cluster, const core::PodShape& shape, core::NodeId node,
                       const Amounts& kept) {
  std::int64_t least = 0;
  for (const auto& request : shape.requests) {
    const auto at = kept.find({node, request.resource});
    const std::int64_t room = cluster.resources().allocatable(request.resource)[node.index] -
                              cluster.resources().used(request.resource)[node.index] +
                              (at == kept.end() ? 0 : at->second);
    const std::int64_t here = std::max<std::int64_t>(0, room) / request.amount;
    least = &request == &shape.requests.front() ? here : std::min(least, here);
  }
  return least;
}

// By domain that the members must share; without a key all nodes are one.
std::map<std::uint32_t, std::int64_t> room_by_domain(const core::Cluster& cluster,
                                                     const Demand& demand) {
  const auto& shape = cluster.shape(cluster.pod(demand.classes.front().sample).shape);
  const core::DomainColumn* column =
      demand.topology_key.empty() ? nullptr : &cluster.group_domains(demand.topology_key);
  const Amounts kept = kept_amounts(cluster);
  std::map<std::uint32_t, std::int64_t> room;
  usable_nodes(cluster, demand).for_each_set([&](std::size_t node) {
    const core::NodeId id{static_cast<std::uint32_t>(node)};
    const std::int64_t here = would_fit(cluster, shape, id, kept);
    if (column == nullptr) {
      room[0] += here;
      return;
    }
    for (const std::uint32_t domain : column->domains_at(id)) room[domain] += here;
  });
  return room;
}

}  // namespace

bool only_kept_away(const core::Cluster& cluster, const Demand& demand) {
  if (cluster.held().empty() || demand.classes.size() != 1 || demand.keys_below) return false;
  // Members that run already pin the domain; where it is full, room elsewhere is no help.
  if (!demand.topology_key.empty() && demand.running > 0) return false;
  return std::ranges::any_of(room_by_domain(cluster, demand), [&](const auto& domain) {
    return domain.second >= static_cast<std::int64_t>(demand.missing);
  });
}

std::vector<Reserver> keepers(const core::Cluster& cluster, const core::GroupTable* groups,
                              const Bitset& nodes, core::ResourceId resource) {
  std::map<std::string, Reserver> by_name;
  for (const auto& [id, node] : cluster.held()) {
    if (!nodes.test(node.index)) continue;
    const model::Pod& pod = *cluster.pod(id).object;
    std::string name = work_name(groups, pod);
    Reserver& keeper = by_name[name];
    keeper.name = std::move(name);
    keeper.priority = pod.priority.value_or(0);
    keeper.amount += cluster.shape(cluster.pod(id).shape).request(resource);
  }
  std::vector<Reserver> all;
  for (auto& [name, keeper] : by_name) all.push_back(std::move(keeper));
  std::erase_if(all, [](const Reserver& keeper) { return keeper.amount == 0; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &Reserver::amount);
  return all;
}

}  // namespace tutti::explain
