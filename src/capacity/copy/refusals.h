// Refusals: which filter keeps a class of pods from which nodes, each filter asked alone.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/concern.h"
#include "core/framework/profile.h"

namespace tutti::capacity {

struct Refusals {
  struct Filter {
    core::Concern concern;
    Bitset nodes;  // that it rejects
  };
  Bitset live;
  Bitset accepted;              // by all
  std::vector<Filter> filters;  // those that reject some node

  bool any(std::size_t node) const { return !accepted.test(node); }
  bool about(core::Concern concern, std::size_t node) const;
  // Whether some filter rejects the node, all that do for this concern.
  bool only_about(core::Concern concern, std::size_t node) const;
  // Nodes that nobody rejects for another concern.
  Bitset accepted_but_for(core::Concern concern) const;
};

Refusals refusals(const core::Cluster& cluster, const core::Profile& profile,
                  const core::PodClass& pods);

}  // namespace tutti::capacity
