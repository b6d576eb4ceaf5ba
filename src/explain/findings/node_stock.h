// NodeStock: what sets of nodes have of each resource, and how many pods of a shape they have free
// room for, counted once for all who ask while nothing happens in the cluster.
//
// Groups that wait usually look at the same few sets of nodes, so that a thousand of them, however
// different in what they ask for, share a handful of sums.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "core/shapes/shape.h"

namespace tutti::explain {

// Nodes as they are, as if nothing ran on them, or as if their devices were well besides.
enum class Room : std::uint8_t { free, empty, repaired };

// What the node has of a resource beyond what is allocatable: devices that are unwell.
std::int64_t unhealthy_at(const core::Cluster& cluster, core::ResourceId resource,
                          std::size_t node);

// Sums of amounts stop at the largest number there is.
std::int64_t sum(std::int64_t a, std::int64_t b);

class NodeStock {
 public:
  // For as long as nothing happens in the cluster.
  explicit NodeStock(const core::Cluster& cluster) : cluster_(cluster) {}

  struct Holding {
    std::int64_t total = 0;
    std::int64_t most = 0;  // on one node
  };
  Holding of(const Bitset& nodes, Room room, core::ResourceId resource);

  // For how many pods of a shape there is room as things are.
  struct FreeRoom {
    std::size_t pods = 0;
    std::size_t nodes = 0;  // that have room for at least one
    bool one_each = true;   // and none for two

    void add(std::size_t here) {
      if (here == 0) return;
      pods += here;
      ++nodes;
      one_each = one_each && here == 1;
    }
  };
  const FreeRoom& free_room(const Bitset& nodes, const core::PodShape& shape);

 private:
  struct Shelf {
    Bitset nodes;
    Room room;
    core::ResourceId resource;
    Holding holding;
  };

  Holding count(const Bitset& nodes, Room room, core::ResourceId resource) const;
  FreeRoom count(const Bitset& nodes, std::span<const core::ResourceAmount> requests) const;

  const core::Cluster& cluster_;
  std::vector<Shelf> shelves_;
  // One verdict asks several times for the same.
  Bitset last_nodes_;
  std::vector<core::ResourceAmount> last_requests_;
  FreeRoom last_room_;
};

}  // namespace tutti::explain
