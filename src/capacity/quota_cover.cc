#include "capacity/quota_cover.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/requests/pod_set_amounts.h"
#include "model/quota.h"
#include "quota/amount.h"

namespace tutti::capacity {
namespace {

using Pair = std::pair<std::string, std::string>;  // flavor, resource

std::vector<const model::Node*> live_nodes(const core::Cluster& cluster) {
  std::vector<const model::Node*> nodes;
  cluster.nodes().live().for_each_set(
      [&](std::size_t i) { nodes.push_back(&cluster.node({static_cast<std::uint32_t>(i)})); });
  std::ranges::sort(nodes, {}, [](const model::Node* node) { return node->meta.name; });
  return nodes;
}

bool is_of(const model::Node& node, const model::ResourceFlavor& flavor) {
  return std::ranges::all_of(flavor.node_labels, [&](const auto& label) {
    const std::string* own = model::find(node.meta.labels, label.first);
    return own != nullptr && *own == label.second;
  });
}

// Promises of everybody who owns quota, by flavor and resource.
std::map<Pair, FlavorCover> promises(const core::QuotaObjects& objects) {
  std::map<Pair, FlavorCover> covers;
  const auto add = [&](const std::string& owner, std::span<const model::ResourceGroup> groups) {
    for (const model::ResourceGroup& group : groups) {
      for (const model::FlavorQuotas& quotas : group.flavors) {
        for (const model::QuotaAmount& amount : quotas.amounts) {
          FlavorCover& cover = covers[{quotas.flavor, amount.resource}];
          cover.flavor = quotas.flavor;
          cover.resource = amount.resource;
          const std::int64_t nominal = core::base_units(amount.resource, amount.nominal);
          cover.nominal = quota::to_int64(quota::Amount{cover.nominal} + nominal);
          cover.promises.push_back({.owner = owner, .nominal = nominal});
        }
      }
    }
  };
  for (const auto& [name, queue] : objects.queues()) {
    add("ClusterQueue " + name, queue.object->spec.groups);
  }
  for (const auto& [name, cohort] : objects.cohorts()) add("Cohort " + name, cohort->spec.groups);
  return covers;
}

std::int64_t amount_on(const model::Node& node, const std::string& resource) {
  const Quantity* amount = model::find(node.allocatable, resource);
  return amount != nullptr ? core::base_units(resource, *amount) : 0;
}

void count_machines(FlavorCover& cover, const model::ResourceFlavor* flavor,
                    std::span<const model::Node* const> nodes) {
  quota::Amount machines = 0;
  for (const model::Node* node : nodes) {
    if (flavor == nullptr || !is_of(*node, *flavor)) continue;
    ++cover.nodes;
    machines += amount_on(*node, cover.resource);
  }
  cover.machines = quota::to_int64(machines);
  for (FlavorCover::Promise& promise : cover.promises) {
    promise.unbacked = std::max<std::int64_t>(0, promise.nominal - cover.machines);
  }
}

// Whether machines that no quota speaks of are worth a word: devices are, and what quota is counted
// in somewhere else.
bool is_missed(const std::string& resource, const std::set<std::string>& counted) {
  const bool device = resource.find('/') != std::string::npos;
  return device || ((resource == "cpu" || resource == "memory") && counted.contains(resource));
}

}  // namespace

QuotaCover quota_cover(const core::Scheduler& scheduler) {
  QuotaCover out;
  const core::QuotaObjects& objects = scheduler.broker().requests().objects();
  if (objects.queues().empty()) return out;
  const auto nodes = live_nodes(scheduler.cluster());
  auto covers = promises(objects);
  std::set<std::string> counted;
  for (auto& [pair, cover] : covers) {
    counted.insert(pair.second);
    count_machines(cover, objects.flavor(pair.first), nodes);
  }
  std::map<std::string, Uncovered> uncovered;
  for (const model::Node* node : nodes) {
    for (const auto& [resource, amount] : node->allocatable) {
      if (!is_missed(resource, counted)) continue;
      const bool covered = std::ranges::any_of(covers, [&](const auto& each) {
        const model::ResourceFlavor* flavor = objects.flavor(each.first.first);
        return each.first.second == resource && flavor != nullptr && is_of(*node, *flavor);
      });
      const std::int64_t there = core::base_units(resource, amount);
      if (covered || there == 0) continue;
      Uncovered& line = uncovered[resource];
      line.resource = resource;
      line.machines = quota::to_int64(quota::Amount{line.machines} + there);
      line.nodes.push_back(node->meta.name);
    }
  }
  for (auto& [pair, cover] : covers) out.flavors.push_back(std::move(cover));
  for (auto& [resource, line] : uncovered) out.uncovered.push_back(std::move(line));
  return out;
}

}  // namespace tutti::capacity
