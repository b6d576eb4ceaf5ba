// Levels: the nested topology keys that a request is judged by, widest first: those of the Kueue
// Topology that knows every key the request names, or, without one, the named keys themselves.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/plugin_status.h"
#include "core/framework/profile.h"
#include "core/topology/topology_request.h"

namespace tutti::core {

struct Levels {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // success; unschedulable when no node is in a domain of one of the keys; error when the request's
  // keys are in the wrong order or a domain lies in two wider ones.
  PluginStatus verdict;
  bool disordered = false;  // the request's keys are in the wrong order, whatever nodes there are
  std::vector<std::string> keys;

  // kNone for a key that is no level, the empty one included.
  std::size_t find(const std::string& key) const;
};

Levels levels_for(const Cluster& cluster, const TopologyRequest& request);

// The verdict of levels as what the profile's generator of placements says. A request that
// contradicts itself is not the generator's matter: that verdict has no plugin.
PluginStatus objection_of(const Profile& profile, const Levels& levels);

}  // namespace tutti::core
