// Which nodes take part in a constraint's counting.
#pragma once

#include "base/bitset.h"
#include "core/cluster/cluster.h"
#include "plugins/spread/constraints.h"

namespace tutti::plugins {

// Both answers in one place, as constraints differ in which of them they honor.
class NodeInclusion {
 public:
  NodeInclusion(const core::Cluster& cluster, const core::PodClass& pods, const SpreadRules& rules);

  // Live nodes that have the keys the rules need.
  const Bitset& with_keys() const { return with_keys_; }
  // Returns the nodes of with_keys() on which the constraint counts pods.
  Bitset counted_by(const SpreadConstraint& constraint) const;
  // Returns the nodes of with_keys() that neither node affinity nor a taint keeps the pod from: the
  // nodes whose domains scoring weighs.
  Bitset open_to_the_pod() const;

 private:
  Bitset with_keys_;
  Bitset selected_;   // node selector and required node affinity match
  Bitset tolerated_;  // no taint keeps the pod from being scheduled
};

}  // namespace tutti::plugins
