// Absence: victims taken out of the picture to see what would fit without them. Everyone is back on
// their node when it ends.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/preemption/lifted_group_claims.h"
#include "core/victims/victims.h"

namespace tutti::core {

class LiftedVictims {
 public:
  // Units that are leaving are away from the start. Nothing may be observed while this lives.
  LiftedVictims(Cluster& cluster, const GroupTable& groups, const VictimTable& victims);
  LiftedVictims(const LiftedVictims&) = delete;
  LiftedVictims& operator=(const LiftedVictims&) = delete;
  ~LiftedVictims();

  void lift(std::uint32_t unit);
  void put_back(std::uint32_t unit);
  bool away(std::uint32_t unit) const { return away_[unit]; }
  // Exactly these units are away.
  void only(std::span<const std::uint32_t> units);
  void everyone();

  // The node of each pod of VictimTable::pods.
  std::span<const NodeId> homes() const { return homes_; }

 private:
  void lift_pod(PodId pod, bool evicted);
  void put_back_pod(PodId pod, NodeId node, bool evicted);
  // Whether the leaving pod's group gives its claims back when nobody is left.
  bool was_evicted(PodId leaving) const;

  Cluster& cluster_;
  const GroupTable& groups_;
  const VictimTable& victims_;
  LiftedGroupClaims group_absence_;
  std::vector<NodeId> homes_;
  std::vector<NodeId> leaving_homes_;
  std::vector<bool> away_;  // by unit
};

}  // namespace tutti::core
