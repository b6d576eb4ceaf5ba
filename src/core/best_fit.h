// BestFit: which nodes a number of identical pods take, so that they lie as near to each other as
// the request wants and large domains stay whole. Counting only: how many pods each node holds is
// given, and is exact for pods that care about nothing but resources.
//
// Levels are nested, widest first; below the last one come the nodes. A unit is a slice of
// `slice_size` pods that must not be split at the slice level, or a single pod.
//
//   1. the level to stay in: from the preferred one outwards to the required one, or to all;
//      there the domain that holds everything with the least to spare;
//   2. from there down, level by level, as few domains as possible: the largest first, and for what
//      is left at the end again the one with the least to spare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "core/cluster.h"
#include "core/levels.h"

namespace tutti::core {

struct BestFitOptions {
  std::size_t preferred = Levels::kNone;    // the level to try first; kNone: the nodes themselves
  std::size_t required = Levels::kNone;     // the widest level to stay in one domain of
  std::size_t slice_level = Levels::kNone;  // kNone: slices of one pod
  std::size_t slice_size = 1;
  bool spread = false;          // the emptiest domain, and its parts evenly
  std::vector<NodeId> anchors;  // where members run already: a domain that holds them goes first
};

class BestFit {
 public:
  // `room` holds for every node how many pods it takes; nodes outside `within` and nodes that lack
  // one of the keys take none.
  BestFit(const Cluster& cluster, const std::vector<std::string>& keys, const Bitset& within,
          std::span<const std::uint32_t> room, BestFitOptions options);

  // How many pods, in whole slices, would fit at once.
  std::size_t capacity() const;
  // A node for each pod, neighbours in the topology next to each other. Empty when they do not fit;
  // `count` must be a multiple of the slice size.
  std::vector<NodeId> place(std::size_t count) const;
  // Pods, in whole slices, that a domain of the level holds, by domain number.
  std::span<const std::size_t> pods_at(std::size_t level) const { return pods_[level]; }
  std::size_t slices_at(std::size_t level, std::uint32_t domain) const {
    return units_[level][domain];
  }

 private:
  // A domain, or a node below the last level, with what it is given.
  struct Part {
    std::uint32_t id;
    std::size_t units;  // it holds
    std::size_t pods;
    std::size_t given = 0;
  };

  void count(const Bitset& within, std::span<const std::uint32_t> room);
  bool comes_before(std::size_t level, std::uint32_t a, std::uint32_t b) const;
  std::vector<Part> parts(std::size_t level, std::size_t parent_level,
                          std::span<const Part> parents) const;
  std::vector<Part> single_domain(std::size_t level, std::size_t units) const;
  std::vector<Part> choose_start(std::size_t units, std::size_t& level) const;
  void distribute(std::size_t level, std::vector<Part>& among, std::size_t units) const;
  void distribute_evenly(std::size_t level, std::vector<Part>& among, std::size_t units) const;
  std::vector<Part> descend(std::size_t level, std::vector<Part> chosen) const;
  std::uint32_t domain_of(std::size_t level, std::uint32_t node) const;
  std::uint32_t anchor(std::size_t level) const;

  const Cluster& cluster_;
  BestFitOptions options_;
  std::vector<const DomainColumn*> columns_;
  std::size_t nodes_level_;  // one below the last key
  std::size_t slice_level_;
  std::vector<std::vector<std::size_t>> pods_;      // by level and domain
  std::vector<std::vector<std::size_t>> units_;     // by level and domain
  std::vector<std::vector<std::uint32_t>> parent_;  // by level and domain
};

}  // namespace tutti::core
