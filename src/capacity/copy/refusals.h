// Refusals: which filter keeps a class of pods from which nodes, each filter asked alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "core/cluster/cluster.h"
#include "core/framework/profile.h"

namespace tutti::capacity {

struct Refusals {
  struct Filter {
    std::string plugin;
    Bitset nodes;  // that it rejects
  };
  Bitset live;
  Bitset accepted;              // by all
  std::vector<Filter> filters;  // those that reject some node

  bool any(std::size_t node) const { return !accepted.test(node); }
  bool by(std::string_view plugin, std::size_t node) const;
  // Whether nobody but this plugin rejects the node.
  bool only_by(std::string_view plugin, std::size_t node) const;
  // Nodes that nobody but this plugin rejects.
  Bitset accepted_but_for(std::string_view plugin) const;
};

Refusals refusals(const core::Cluster& cluster, const core::Profile& profile,
                  const core::PodClass& pods);

}  // namespace tutti::capacity
