// LevelTree: which domains of nested topology keys lie in which, down to the nodes. Made of what
// nodes and their devices are labelled with, so it holds until Versions::nodes rises.
//
//   level 0       block ─┬─ …
//   level 1              └─ rack ─┬─ …
//   level 2 = nodes               └─ nodes that carry all the keys
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"

namespace tutti::core {

class LevelTree {
 public:
  static constexpr std::uint32_t kNone = DomainColumn::kNone;

  // `keys` widest first. Borrows the columns of the cluster.
  LevelTree(const Cluster& cluster, std::vector<std::string> keys);

  const std::vector<std::string>& keys() const { return keys_; }
  // The level below the last key.
  std::size_t nodes_level() const { return keys_.size(); }
  // Domains of the level; of the last one: node slots.
  std::size_t size(std::size_t level) const { return parent_[level].size(); }
  // The domain of the level that the node is in; kNone when it lacks the key.
  std::uint32_t domain_of(std::size_t level, std::uint32_t node) const {
    return level == nodes_level() ? node : columns_[level]->domain_of[node];
  }
  // Whether the node carries every key.
  bool holds(std::size_t node) const { return inside_.test(node); }
  // The domain one level up; kNone at the top, and for what has no node that carries every key.
  std::uint32_t parent(std::size_t level, std::uint32_t domain) const {
    return parent_[level][domain];
  }
  // The domains, or nodes, of the level below that lie in this one.
  std::span<const std::uint32_t> children(std::size_t level, std::uint32_t domain) const {
    const auto& first = first_child_[level];
    return std::span(children_[level]).subspan(first[domain], first[domain + 1] - first[domain]);
  }
  // False when some domain lies in two wider ones; it is then a child of one of them only.
  bool nested() const { return nested_; }

 private:
  void find_parents(const Cluster& cluster);
  void list_children(std::size_t level);

  std::vector<std::string> keys_;
  std::vector<const DomainColumn*> columns_;
  Bitset inside_;
  std::vector<std::vector<std::uint32_t>> parent_;       // by level and domain
  std::vector<std::vector<std::uint32_t>> first_child_;  // by level and domain, and one more
  std::vector<std::vector<std::uint32_t>> children_;     // by level, one domain's after another's
  bool nested_ = true;
};

}  // namespace tutti::core
