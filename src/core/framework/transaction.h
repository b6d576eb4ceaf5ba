// Transaction: tentative placements on the cluster that are kept together or undone together.
//
// Gangs, candidate domains, the exact search and what-if all work the same way: place, look, roll
// back to a checkpoint or commit. Undo runs in reverse order and restores every derived figure; a
// transaction that is destroyed without commit() leaves no trace.
#pragma once

#include "base/check.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/extension_points.h"
#include "core/framework/profile.h"

namespace tutti::core {

class Transaction {
 public:
  explicit Transaction(Cluster& cluster) : cluster_(cluster) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { roll_back(0); }

  using Checkpoint = std::size_t;
  Checkpoint checkpoint() const { return placed_.size(); }

  // Places a pending pod and runs the profile's Reserve plugins. Anything but success leaves the
  // pod pending.
  PluginStatus place(PodId pod, NodeId node, const Profile& profile);
  void roll_back(Checkpoint to);
  // In order of placing, from the checkpoint on.
  std::span<const ProposedPod> placed(Checkpoint from = 0) const {
    TUTTI_CHECK(from <= proposed_.size(), "what came after the checkpoint is undone already");
    return std::span(proposed_).subspan(from);
  }
  // Keeps everything placed so far; the pods stay assumed on their nodes.
  void commit();

 private:
  void undo_last();

  Cluster& cluster_;
  std::vector<const Profile*> placed_;  // whose Reserve plugins hold something for the pod
  std::vector<ProposedPod> proposed_;
};

// Gives back one committed placement: Reserve undone, pod pending again.
void release_placement(Cluster& cluster, const Profile& profile, PodId pod);

}  // namespace tutti::core
