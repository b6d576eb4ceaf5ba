// TopologyCache: what labels, devices and Topology objects say about levels, worked out once and
// kept until such an object or a node changes.
#pragma once

#include <map>
#include <tuple>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/topology/level_tree.h"
#include "core/topology/levels.h"
#include "core/topology/topology_request.h"

namespace tutti::core {

class TopologyCache {
 public:
  // As levels_for(). Valid until the next call.
  const Levels& levels(const Cluster& cluster, const TopologyRequest& request);
  std::shared_ptr<const LevelTree> tree(const Cluster& cluster,
                                        const std::vector<std::string>& keys);

 private:
  using Asked = std::tuple<std::string, std::string, std::string>;  // required, preferred, slices

  std::map<Asked, Levels> levels_;
  std::uint64_t levels_version_ = 0;  // Versions::structure
  std::map<std::vector<std::string>, std::shared_ptr<const LevelTree>> trees_;
  std::uint64_t trees_version_ = 0;  // Versions::nodes
};

}  // namespace tutti::core
