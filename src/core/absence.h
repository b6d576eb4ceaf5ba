// Absence: victims taken out of the picture to see what would fit without them. Everyone is back on
// their node when it ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster.h"
#include "core/group_absence.h"
#include "core/groups.h"
#include "core/victims.h"

namespace tutti::core {

class Absence {
 public:
  // Those that are leaving are away from the start. Nothing may be observed while it lives.
  Absence(Cluster& cluster, const GroupTable& groups, const VictimTable& victims);
  Absence(const Absence&) = delete;
  Absence& operator=(const Absence&) = delete;
  ~Absence();

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
  GroupAbsence group_absence_;
  std::vector<NodeId> homes_;
  std::vector<NodeId> leaving_homes_;
  std::vector<bool> away_;  // by unit
};

}  // namespace tutti::core
