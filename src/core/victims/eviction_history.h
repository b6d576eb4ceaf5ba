// EvictionHistory: who was evicted for whom, so that nobody evicts in return.
//
// Priorities alone allow no two workloads to displace each other for ever, as long as everyone
// means the same number. They need not: members of a v1alpha2 group may have another priority than
// the group, and priorities change. So for an hour a workload does not evict the one it gave way
// to.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"

namespace tutti::core {

// What outlives a pod: its root group, the controller that would make it anew, or its own name.
std::string workload_of(const Cluster& cluster, const GroupTable& groups, GroupId leaf, PodId pod);

class EvictionHistory {
 public:
  static constexpr Millis kMemory = std::chrono::hours(1);

  void remember(const std::string& victim, const std::string& evictor, Instant now) {
    by_victim_[victim][evictor] = now;
  }
  void forget_old(Instant now);
  // Returns the workloads that `workload` gave way to.
  std::set<std::string> evictors_of(const std::string& workload, Instant now) const;

 private:
  std::map<std::string, std::map<std::string, Instant>> by_victim_;
};

}  // namespace tutti::core
