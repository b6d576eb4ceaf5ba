// Counting: how many pods of a class nodes hold, where that is a matter of their resources alone.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/profile.h"
#include "core/shapes/shape.h"

namespace tutti::core {

class Evaluation;

// What the node has left of the resource; below zero where it is overdrawn.
std::int64_t free_of(const Cluster& cluster, ResourceId resource, std::size_t node);

// Whether the shape has a spread constraint that a node must meet.
bool has_hard_spread(const PodShape& shape);

// How many pods of the shape the node's free resources hold.
std::size_t room_on(const Cluster& cluster, const PodShape& shape, std::size_t node);
// Room for pods of one class on the nodes that accept it one by one: how often its request fits.
// `counting`: what filters can count for themselves, devices for example, bounds it too.
std::size_t room_for(const Cluster& cluster, const PodShape& shape, const Bitset& nodes,
                     const Bitset* within, const Evaluation* counting = nullptr);

// Adds one for each of the shape's requests that the node has too little of for yet another pod
// once it holds all it can. `counts` is by request.
void count_what_runs_out(const Cluster& cluster, const PodShape& shape, std::size_t node,
                         std::span<std::size_t> counts);

// Whether placing another pod can turn a node that refuses this shape into one that accepts it.
bool may_open_later(const PodShape& shape);
// Whether pods of the shape only compete for resources: how many fit a node is a matter of
// counting.
bool only_counts(const Cluster& cluster, const Profile& profile, const PodShape& shape);

}  // namespace tutti::core
