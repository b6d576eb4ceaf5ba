#include "core/topology/topology_cache.h"

namespace tutti::core {
namespace {

// Bounds memory where every group makes up keys of its own.
constexpr std::size_t kKept = 32;

template <typename Map>
void make_current(Map& map, std::uint64_t& seen, std::uint64_t version) {
  if (seen != version || map.size() > kKept) map.clear();
  seen = version;
}

}  // namespace

const Levels& TopologyCache::levels(const Cluster& cluster, const TopologyRequest& request) {
  make_current(levels_, levels_version_, cluster.versions().structure);
  const auto [at, fresh] =
      levels_.try_emplace({request.required, request.preferred, request.slice_key});
  if (fresh) at->second = levels_for(cluster, request);
  return at->second;
}

std::shared_ptr<const LevelTree> TopologyCache::tree(const Cluster& cluster,
                                                     const std::vector<std::string>& keys) {
  make_current(trees_, trees_version_, cluster.versions().nodes);
  auto& tree = trees_[keys];
  if (!tree) tree = std::make_shared<const LevelTree>(cluster, keys);
  return tree;
}

}  // namespace tutti::core
