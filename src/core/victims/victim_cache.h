// VictimCache: what was found out about pods as possible victims, kept from one question to the
// next. Facts lie side by side in flat arrays, so that asking again about tens of thousands of pods
// does not touch their objects; facts of a pod whose object has been replaced are found out anew.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/victims/controller_ids.h"
#include "core/victims/victim_cost.h"

namespace tutti::core {

// Live nodes in order of names.
std::vector<NodeId> nodes_by_name(const Cluster& cluster);

class VictimCache {
 public:
  struct Facts {
    std::int32_t priority = 0;  // its own
    bool in_group = false;
    bool of_node = false;  // it belongs to its node
    bool terminating = false;
    bool plain = false;  // nothing about it but these facts tells what its eviction costs
    std::uint32_t maker = kNoIndex;  // the number of the controller that made it; kNoIndex: none
    SteadyCost cost;                 // of a plain one
  };

  // Valid until the next call for another pod.
  const Facts& facts(const Cluster& cluster, PodId pod);
  // The pods on the node by name. Valid until the next call.
  std::span<const PodId> in_order(const Cluster& cluster, NodeId node);

 private:
  struct Known {
    std::shared_ptr<const model::Pod> object;  // whose facts they are
    std::uint32_t names = 0;                   // how many different pods have had this number
    Facts facts;
  };
  struct Order {
    std::uint64_t digest = 0;  // of who was there
    std::vector<PodId> pods;
    std::uint64_t checked = 0;  // while it is checks_, nobody has come or gone since
  };

  Known& known(const Cluster& cluster, PodId pod);
  // Finds out on which nodes pods came or went.
  void catch_up(const Cluster& cluster);

  ControllerIds makers_;
  std::vector<Known> known_;   // by pod
  std::vector<Order> orders_;  // by node
  std::uint64_t seen_journal_ = 0;
  std::uint64_t seen_nodes_ = 0;
  std::uint64_t checks_ = 0;
};

}  // namespace tutti::core
