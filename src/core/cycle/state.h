// SchedulerState: what every part of the scheduler reads and changes: the cluster as observed and
// decided, the groups, who belongs to which of them, and the queue. Whatever only one part needs is
// that part's own.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/config.h"
#include "core/framework/profile.h"
#include "core/framework/profile_set.h"
#include "core/queue/queue.h"

namespace tutti::core {

struct SchedulerState {
  SchedulerState(const SchedulerConfig& config, std::vector<Profile> own, bool sole_scheduler);
  SchedulerState(const SchedulerState&) = delete;
  SchedulerState& operator=(const SchedulerState&) = delete;

  const Profile* profile_for(const model::Pod& pod) const { return profiles.profile_for(pod); }
  // The pod's PodGroup; invalid: none.
  GroupId group_of(PodId pod) const;
  // Enters a pod into the group that it names, if it names one.
  void join_group(PodId id, const model::Pod& pod, GroupTable::Membership membership);
  // The invariant of what is kept up to date bit by bit; empty when it holds.
  std::string check_consistency() const;

  const ProfileSet profiles;
  Cluster cluster;
  GroupTable groups;
  std::unordered_map<PodId, GroupId> leaf_of;  // members only
  Queue queue;
};

}  // namespace tutti::core
