// Tightness: nodes in the order in which pods of one shape fill them up: those first that are left
// with the least of what they are shortest of.
//
// A search asks again after every step, and a step changes one node: from the second question on
// the order of all nodes in question is kept, and only that node is moved.
#pragma once

#include <tuple>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "core/shapes/shape.h"

namespace tutti::core {

class Tightness {
 public:
  // Only nodes of `among` will be asked about; null: all.
  Tightness(const Cluster& cluster, const PodShape& shape, const Bitset* among)
      : cluster_(cluster), shape_(shape), among_(among) {}

  // Ties go to the smaller name.
  std::vector<NodeId> order(const Bitset& nodes);
  // What is free on the node has changed. To be told of every change between two questions.
  void moved(NodeId node);

 private:
  using Rank = std::tuple<std::int64_t, std::uint32_t, NodeId>;

  Rank rank(NodeId node) const;
  std::vector<Rank> ranked(const Bitset& nodes) const;

  const Cluster& cluster_;
  const PodShape& shape_;
  const Bitset* among_;
  bool asked_before_ = false;
  std::vector<Rank> ranked_;            // all of them; empty until it is worth it
  std::vector<std::int64_t> slack_of_;  // by node, as ranked
};

}  // namespace tutti::core
