#include "core/topology/level_tree.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {

LevelTree::LevelTree(const Cluster& cluster, std::vector<std::string> keys)
    : keys_(std::move(keys)) {
  for (const std::string& key : keys_) {
    columns_.push_back(&cluster.group_domains(key));
    parent_.emplace_back(columns_.back()->values.size(), kNone);
  }
  parent_.emplace_back(cluster.nodes().slots(), kNone);
  find_parents(cluster);
  first_child_.resize(keys_.size());
  children_.resize(keys_.size());
  for (std::size_t level = 0; level < keys_.size(); ++level) list_children(level);
}

void LevelTree::find_parents(const Cluster& cluster) {
  inside_ = cluster.nodes().live();
  for (const DomainColumn* column : columns_) {
    TUTTI_CHECK(column->domain_of.size() == cluster.nodes().slots(), "a column of another moment");
    cluster.nodes().live().for_each_set([&](std::size_t node) {
      if (column->domain_of[node] == kNone) inside_.reset(node);
    });
  }
  for (std::size_t level = 1; level <= nodes_level(); ++level) {
    const auto& around = columns_[level - 1]->domain_of;
    auto& parent = parent_[level];
    inside_.for_each_set([&](std::size_t node) {
      std::uint32_t& known = parent[domain_of(level, static_cast<std::uint32_t>(node))];
      nested_ = nested_ && (known == kNone || known == around[node]);
      known = around[node];
    });
  }
}

void LevelTree::list_children(std::size_t level) {
  const auto& parents = parent_[level + 1];
  auto& first = first_child_[level];
  first.assign(size(level) + 1, 0);
  for (const std::uint32_t parent : parents) {
    if (parent != kNone) ++first[parent + 1];
  }
  for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
  TUTTI_CHECK(first.back() <= parents.size(), "more children than there are domains");
  children_[level].resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t child = 0; child < parents.size(); ++child) {
    if (parents[child] != kNone) children_[level][next[parents[child]]++] = child;
  }
}

}  // namespace tutti::core
