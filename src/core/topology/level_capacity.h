// LevelCapacity: how many pods of one class, and how many whole slices of them, every domain of
// nested levels holds. Changes with single nodes, so that choosing among domains looks at no node
// outside the chosen ones.
//
// A slice of `slice_size` pods must not be split at the slice level: above it slices are added up,
// at it and below they are what the pods come to.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/topology/level_tree.h"

namespace tutti::core {

struct Slicing {
  std::size_t level = 0;  // the level of nodes when there are no slices
  std::size_t size = 1;
  bool operator==(const Slicing&) const = default;
};

class LevelCapacity {
 public:
  // Counts the nodes of `within`; the others, and nodes that lack one of the keys, hold nothing.
  // `room` is by node.
  LevelCapacity(std::shared_ptr<const LevelTree> tree, Slicing slicing, const Bitset& within,
                std::span<const std::uint32_t> room);

  // A node that was counted holds another number of pods now.
  void change(std::uint32_t node, std::uint32_t before, std::uint32_t after);

  const LevelTree& tree() const { return *tree_; }
  const Slicing& slicing() const { return slicing_; }
  // Return what a domain of a level above the nodes holds.
  std::size_t pods(std::size_t level, std::uint32_t domain) const { return pods_[level][domain]; }
  std::size_t slices(std::size_t level, std::uint32_t domain) const {
    return level < slices_.size() ? slices_[level][domain] : pods_[level][domain] / slicing_.size;
  }
  // Slices that fit at once if they may go anywhere.
  std::size_t all_slices() const { return all_slices_; }

 private:
  bool added_up() const { return slicing_.size > 1; }

  std::shared_ptr<const LevelTree> tree_;
  Slicing slicing_;
  std::vector<std::vector<std::size_t>> pods_;    // by level above the nodes, and domain
  std::vector<std::vector<std::size_t>> slices_;  // above the slice level; none if slices are pods
  std::size_t all_slices_ = 0;
};

}  // namespace tutti::core
