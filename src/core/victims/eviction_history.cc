#include "core/victims/eviction_history.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::core {

std::string workload_of(const Cluster& cluster, const GroupTable& groups, GroupId leaf, PodId pod) {
  const auto& meta = cluster.pod(pod).object->meta;
  if (leaf.valid()) {
    const Group& root = groups[groups.root_of(leaf).value_or(leaf)];
    return fmt::format("{} {}/{}", root.composite ? "CompositePodGroup" : "PodGroup", root.ns,
                       root.name);
  }
  const auto owner = std::ranges::find(meta.owners, true, &model::OwnerReference::controller);
  if (owner != meta.owners.end()) return fmt::format("{} {}/{}", owner->kind, meta.ns, owner->name);
  return fmt::format("Pod {}/{}", meta.ns, meta.name);
}

std::set<std::string> EvictionHistory::evictors_of(const std::string& workload, Instant now) const {
  std::set<std::string> evictors;
  const auto at = by_victim_.find(workload);
  if (at == by_victim_.end()) return evictors;
  for (const auto& [evictor, when] : at->second) {
    if (now < when + kMemory) evictors.insert(evictor);
  }
  return evictors;
}

void EvictionHistory::forget_old(Instant now) {
  for (auto at = by_victim_.begin(); at != by_victim_.end();) {
    std::erase_if(at->second, [&](const auto& entry) { return now >= entry.second + kMemory; });
    at = at->second.empty() ? by_victim_.erase(at) : std::next(at);
  }
}

}  // namespace tutti::core
