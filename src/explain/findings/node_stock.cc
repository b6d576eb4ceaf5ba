#include "explain/findings/node_stock.h"

#include <algorithm>
#include <limits>
#include <span>

namespace tutti::explain {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
// Beyond this many sets of nodes at one moment, each is counted whenever someone asks.
constexpr std::size_t kShelves = 256;

}  // namespace

std::int64_t sum(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }

// Counts what device plugins publish as unhealthy: of cpu and memory that part is the system's.
std::int64_t unhealthy_at(const core::Cluster& cluster, core::ResourceId resource,
                          std::size_t node) {
  const auto& object = cluster.node({static_cast<std::uint32_t>(node)});
  const Quantity* capacity = model::find(object.capacity, cluster.resources().name(resource));
  if (capacity == nullptr) return 0;
  return std::max<std::int64_t>(
      0, capacity->units() - cluster.resources().allocatable(resource)[node]);
}

NodeStock::Holding NodeStock::of(const Bitset& nodes, Room room, core::ResourceId resource) {
  for (const Shelf& shelf : shelves_) {
    if (shelf.resource == resource && shelf.room == room && shelf.nodes == nodes) {
      return shelf.holding;
    }
  }
  const Holding holding = count(nodes, room, resource);
  if (shelves_.size() < kShelves) shelves_.push_back({nodes, room, resource, holding});
  return holding;
}

NodeStock::Holding NodeStock::count(const Bitset& nodes, Room room,
                                    core::ResourceId resource) const {
  const auto all = cluster_.resources().allocatable(resource);
  const auto used = cluster_.resources().used(resource);
  const bool repaired =
      room == Room::repaired && core::is_device(cluster_.resources().name(resource));
  Holding holding;
  nodes.for_each_set([&](std::size_t node) {
    std::int64_t here = all[node];
    if (room == Room::free) here = std::max<std::int64_t>(0, here - used[node]);
    if (repaired) here += unhealthy_at(cluster_, resource, node);
    holding.total = sum(holding.total, here);
    holding.most = std::max(holding.most, here);
  });
  return holding;
}

const NodeStock::FreeRoom& NodeStock::free_room(const Bitset& nodes, const core::PodShape& shape) {
  if (!last_requests_.empty() && last_requests_ == shape.requests && last_nodes_ == nodes) {
    return last_room_;
  }
  last_nodes_ = nodes;
  last_requests_ = shape.requests;
  // Where no node has enough of something none has to be looked at.
  const bool hopeless = std::ranges::any_of(shape.requests, [&](const core::ResourceAmount& asked) {
    return of(nodes, Room::free, asked.resource).most < asked.amount;
  });
  last_room_ = hopeless ? FreeRoom{} : count(nodes, shape.requests);
  return last_room_;
}

NodeStock::FreeRoom NodeStock::count(const Bitset& nodes,
                                     std::span<const core::ResourceAmount> requests) const {
  struct Asked {
    std::span<const std::int64_t> all;
    std::span<const std::int64_t> used;
    std::int64_t amount;
  };
  std::vector<Asked> asked;
  for (const auto& request : requests) {
    asked.push_back({cluster_.resources().allocatable(request.resource),
                     cluster_.resources().used(request.resource), request.amount});
  }
  FreeRoom room;
  nodes.for_each_set([&](std::size_t node) {
    std::int64_t least = kMost;
    for (const Asked& each : asked) {
      const std::int64_t free = each.all[node] - each.used[node];
      if (free < each.amount) return;
      least = std::min(least, free / each.amount);
    }
    room.add(static_cast<std::size_t>(least));
  });
  return room;
}

}  // namespace tutti::explain
