// BestFit: which nodes a number of identical pods take, so that they lie as near to each other as
// the request wants and large domains stay whole. Counting only: how many pods each node and domain
// holds is given, and is exact for pods that care about nothing but resources. Domains are compared
// by what they hold; nodes are looked at in the chosen ones only.
//
// Levels are nested, widest first; below the last one come the nodes. A unit is a slice of pods
// that must not be split at the slice level, or a single pod.
//
//   1. the level to stay in: from the preferred one outwards to the required one, or to all;
//      there the domain that holds everything with the least to spare;
//   2. from there down, level by level, as few domains as possible: the largest first, and for what
//      is left at the end again the one with the least to spare.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/topology/level_capacity.h"
#include "core/topology/levels.h"

namespace tutti::core {

struct BestFitOptions {
  std::size_t preferred = Levels::kNone;  // the level to try first; kNone: the nodes themselves
  std::size_t required = Levels::kNone;   // the widest level to stay in one domain of
  bool spread = false;                    // the emptiest domain, and its parts evenly
  std::vector<NodeId> anchors;  // where members run already: a domain that holds them goes first
};

class BestFit {
 public:
  // `nodes` holds for every node how many pods it takes, and `room` what that comes to in domains,
  // both counted on `within`. All three are borrowed.
  BestFit(const Cluster& cluster, const LevelCapacity& room, const Bitset& within,
          std::span<const std::uint32_t> nodes, BestFitOptions options);

  // How many pods, in whole slices, would fit at once.
  std::size_t capacity() const;
  // A node for each pod, neighbours in the topology next to each other. Empty when they do not fit;
  // `count` must be a multiple of the slice size.
  std::vector<NodeId> place(std::size_t count) const;
  std::size_t slices_at(std::size_t level, std::uint32_t domain) const {
    return units_in(level, domain);
  }

 private:
  // A domain, or a node below the last level, with what it is given.
  struct Part {
    std::uint32_t id;
    std::size_t units;  // it holds
    std::size_t pods;
    std::size_t given = 0;
  };

  std::size_t pods_in(std::size_t level, std::uint32_t domain) const;
  std::size_t units_in(std::size_t level, std::uint32_t domain) const;
  bool comes_before(std::size_t level, std::uint32_t a, std::uint32_t b) const;
  std::uint32_t rank(std::size_t level, std::uint32_t domain) const;
  void add_part(std::size_t level, std::uint32_t domain, std::vector<Part>& parts) const;
  std::vector<Part> everything() const;
  std::vector<Part> parts_of(std::size_t level, const Part& domain) const;
  std::vector<Part> single_domain(std::size_t level, std::size_t units) const;
  std::vector<Part> choose_start(std::size_t units, std::size_t& level) const;
  void distribute(std::size_t level, std::vector<Part>& among, std::size_t units) const;
  void distribute_evenly(std::size_t level, std::vector<Part>& among, std::size_t units) const;
  std::vector<Part> descend(std::size_t level, std::vector<Part> chosen) const;
  std::uint32_t anchor(std::size_t level) const;
  std::uint32_t around(std::size_t level, std::uint32_t domain, std::size_t wider) const;

  const Cluster& cluster_;
  const LevelCapacity& room_;
  const LevelTree& tree_;
  const Bitset& within_;
  std::span<const std::uint32_t> nodes_;
  BestFitOptions options_;
  std::size_t nodes_level_;  // one below the last key
  std::size_t slice_level_;
  std::size_t slice_size_;
  mutable std::vector<std::span<const std::uint32_t>> ranks_;  // by level; empty until asked for
};

}  // namespace tutti::core
