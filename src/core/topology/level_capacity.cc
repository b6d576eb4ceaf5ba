#include "core/topology/level_capacity.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {

LevelCapacity::LevelCapacity(std::shared_ptr<const LevelTree> tree, Slicing slicing,
                             const Bitset& within, std::span<const std::uint32_t> room)
    : tree_(std::move(tree)), slicing_(slicing) {
  TUTTI_CHECK(slicing_.size > 0 && slicing_.level <= tree_->nodes_level(), "slices of no level");
  for (std::size_t level = 0; level < tree_->nodes_level(); ++level) {
    pods_.emplace_back(tree_->size(level), 0);
    if (added_up() && level < slicing_.level) slices_.emplace_back(tree_->size(level), 0);
  }
  within.for_each_set([&](std::size_t node) {
    TUTTI_CHECK(node < room.size(), "a node whose room was not counted");
    if (room[node] > 0) change(static_cast<std::uint32_t>(node), 0, room[node]);
  });
}

void LevelCapacity::change(std::uint32_t node, std::uint32_t before, std::uint32_t after) {
  if (!tree_->holds(node)) return;
  std::size_t held = before;  // in the node's domain of the slice level
  for (std::size_t level = 0; level < pods_.size(); ++level) {
    std::size_t& pods = pods_[level][tree_->domain_of(level, node)];
    if (level == slicing_.level) held = pods;
    TUTTI_CHECK(pods + after >= before, "a domain loses room that it never had");
    pods = pods + after - before;
  }
  const std::size_t slices_before = held / slicing_.size;
  const std::size_t slices_after = (held + after - before) / slicing_.size;
  all_slices_ = all_slices_ + slices_after - slices_before;
  std::uint32_t domain = tree_->domain_of(slicing_.level, node);
  for (std::size_t level = slices_.size(); level-- > 0;) {
    domain = tree_->parent(level + 1, domain);
    slices_[level][domain] = slices_[level][domain] + slices_after - slices_before;
  }
}

}  // namespace tutti::core
