// ClassCapacity: how many pods of one class each node holds, and each domain of the keys and levels
// that were asked for, by resources alone and on nodes that accept the class. Kept up to date by
// reading the cluster's journal, so that comparing domains does not look at their nodes.
#pragma once

#include <map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/topology/level_capacity.h"

namespace tutti::core {

class ClassCapacity {
 public:
  // Catches up. `accepted` are the nodes that accept the class now; `epoch` rises whenever they
  // changed in other ways than by the journal's changes to single nodes.
  void refresh(const Cluster& cluster, const PodShape& shape, const Bitset& accepted,
               std::uint64_t epoch);

  std::span<const std::uint32_t> by_node() const { return room_; }
  std::size_t total() const { return total_; }
  // By domain number of the key.
  std::span<const std::size_t> by_domain(const Cluster& cluster, const std::string& key);
  // By domains of all levels of the tree, which must be that of the present nodes. What is returned
  // stays as it is until the next refresh.
  std::shared_ptr<const LevelCapacity> by_level(const Cluster& cluster,
                                                const std::shared_ptr<const LevelTree>& tree,
                                                Slicing slicing);

 private:
  void count_all(const Cluster& cluster, const PodShape& shape, const Bitset& accepted);
  void update(const Cluster& cluster, std::size_t node, std::uint32_t room);

  std::vector<std::uint32_t> room_;
  std::size_t total_ = 0;
  std::map<std::string, std::vector<std::size_t>> sums_;
  std::vector<std::shared_ptr<LevelCapacity>> levels_;  // the one asked for last at the end
  std::uint64_t epoch_ = 0;
  std::uint64_t seen_structure_ = 0;
  std::uint64_t seen_journal_ = 0;
};

}  // namespace tutti::core
