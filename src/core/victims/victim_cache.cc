#include "core/victims/victim_cache.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::core {
namespace {

VictimCache::Facts facts_of(const Cluster& cluster, const PodEntry& entry) {
  const model::Pod& pod = *entry.object;
  VictimCache::Facts facts;
  facts.priority = pod.priority.value_or(0);
  facts.in_group = !pod.spec->scheduling_group.empty();
  facts.of_node = belongs_to_node(pod);
  facts.terminating = pod.meta.deletion.has_value();
  facts.plain = !facts.in_group && is_steady(pod);
  if (facts.plain) facts.cost = steady_cost(cluster, entry);
  return facts;
}

bool same_name(const model::Pod& a, const model::Pod& b) {
  return a.meta.name == b.meta.name && a.meta.ns == b.meta.ns;
}

}  // namespace

std::vector<NodeId> nodes_by_name(const Cluster& cluster) {
  const auto ranks = cluster.nodes().name_ranks();
  std::vector<NodeId> nodes(cluster.nodes().count());
  cluster.nodes().live().for_each_set(
      [&](std::size_t i) { nodes[ranks[i]] = NodeId{static_cast<std::uint32_t>(i)}; });
  return nodes;
}

VictimCache::Known& VictimCache::known(const Cluster& cluster, PodId pod) {
  if (known_.size() <= pod.index) known_.resize(pod.index + std::size_t{1});
  Known& known = known_[pod.index];
  const PodEntry& entry = cluster.pod(pod);
  TUTTI_CHECK(entry.object != nullptr, "facts about a pod that is not there");
  if (known.object == entry.object) return known;
  if (known.object == nullptr || !same_name(*known.object, *entry.object)) ++known.names;
  known.object = entry.object;
  makers_.leave(known.facts.maker);
  known.facts = facts_of(cluster, entry);
  known.facts.maker = makers_.join(*entry.object);
  return known;
}

const VictimCache::Facts& VictimCache::facts(const Cluster& cluster, PodId pod) {
  return known(cluster, pod).facts;
}

void VictimCache::catch_up(const Cluster& cluster) {
  const auto changes = cluster.journal().since(seen_journal_);
  const bool lost_track = !changes || seen_nodes_ != cluster.versions().nodes;
  if (lost_track) ++checks_;
  if (!lost_track) {
    for (const Change& change : *changes) {
      if (change.node.index < orders_.size()) orders_[change.node.index].checked = 0;
    }
  }
  seen_journal_ = cluster.journal().end();
  seen_nodes_ = cluster.versions().nodes;
}

std::span<const PodId> VictimCache::in_order(const Cluster& cluster, NodeId node) {
  catch_up(cluster);
  if (orders_.size() <= node.index) orders_.resize(node.index + std::size_t{1});
  Order& order = orders_[node.index];
  if (order.checked == checks_) {
    // Whoever asks goes on to ask about each of them, and they lie far apart.
    for (const PodId pod : order.pods) {
      __builtin_prefetch(&known_[pod.index]);
      __builtin_prefetch(&cluster.pod(pod));
    }
    return order.pods;
  }
  order.checked = checks_;
  Digest digest;
  for (const PodId pod : cluster.pods().on(node)) {
    digest.add(std::uint64_t{pod.index});
    digest.add(std::uint64_t{known(cluster, pod).names});
  }
  if (order.digest == digest.value() && order.pods.size() == cluster.pods().on(node).size()) {
    return order.pods;
  }
  order.digest = digest.value();
  order.pods.assign(cluster.pods().on(node).begin(), cluster.pods().on(node).end());
  std::ranges::sort(order.pods, [&](PodId a, PodId b) {
    const auto& left = cluster.pod(a).object->meta;
    const auto& right = cluster.pod(b).object->meta;
    return std::tie(left.name, left.ns) < std::tie(right.name, right.ns);
  });
  return order.pods;
}

}  // namespace tutti::core
