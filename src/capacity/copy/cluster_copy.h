// ClusterCopy: a copy of what a scheduler knows, on which anything may be tried. The decision code
// that works on it is core's own; the scheduler it was copied from does not notice.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/profile.h"
#include "core/scheduler/scheduler.h"

namespace tutti::capacity {

class ClusterCopy {
 public:
  // `profiles` are made anew from the original's configuration, at least one: plugins keep what
  // they found out about one cluster.
  ClusterCopy(const core::Scheduler& original, std::vector<core::Profile> profiles);
  ClusterCopy(const ClusterCopy&) = delete;
  ClusterCopy& operator=(const ClusterCopy&) = delete;

  core::Cluster& cluster() { return cluster_; }
  const core::Cluster& cluster() const { return cluster_; }
  core::GroupTable& groups() { return groups_; }
  const core::GroupTable& groups() const { return groups_; }
  core::EvaluationCache& evaluations() { return evaluations_; }

  // The profile of that scheduler name; the first where none has it.
  const core::Profile& profile(std::string_view scheduler_name) const;
  // A pod and a group of the original, here. Requires that the original knows them.
  core::PodId pod(core::PodId original) const { return pods_[original.index]; }
  core::GroupId group(core::GroupId original) const { return group_ids_[original.index]; }

 private:
  void copy_objects(const core::Cluster& original);
  void copy_pods(const core::Scheduler& original);
  void copy_groups(const core::GroupTable& original);
  void copy_decisions(const core::Scheduler& original);

  std::vector<core::Profile> profiles_;
  core::Cluster cluster_;
  core::GroupTable groups_;
  core::EvaluationCache evaluations_{cluster_};
  std::vector<core::PodId> pods_;         // by index of the original
  std::vector<core::GroupId> group_ids_;  // likewise
};

}  // namespace tutti::capacity
