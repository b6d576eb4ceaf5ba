// QuotaCover: quota against machines. What queues are promised that no node has, and what nodes
// have that no queue is promised.
#pragma once

#include <algorithm>

#include "base/std.h"
#include "core/scheduler/scheduler.h"

namespace tutti::capacity {

// One resource of one flavor. Amounts in base units (milli for cpu, whole units for the rest).
struct FlavorCover {
  // What a ClusterQueue or Cohort owns of it.
  struct Promise {
    std::string owner;  // "ClusterQueue team-a"
    std::int64_t nominal = 0;
    // What the flavor's nodes would not hold of that, even if nobody else used them.
    std::int64_t unbacked = 0;
  };
  std::string flavor;
  std::string resource;
  std::size_t nodes = 0;  // of the flavor, by its labels
  std::int64_t machines = 0;
  std::int64_t nominal = 0;  // of all promises together
  std::vector<Promise> promises;

  std::int64_t quota_without_machines() const {
    return std::max<std::int64_t>(0, nominal - machines);
  }
  std::int64_t machines_without_quota() const {
    return std::max<std::int64_t>(0, machines - nominal);
  }
};

// A resource on nodes of which no quota speaks: they are of no flavor that a queue lists with it.
struct Uncovered {
  std::string resource;
  std::int64_t machines = 0;
  std::vector<std::string> nodes;  // in order of names
};

struct QuotaCover {
  std::vector<FlavorCover> flavors;  // by flavor, then resource
  std::vector<Uncovered> uncovered;  // by resource
};

// Empty where nobody has queues. cpu and memory of nodes count as uncovered only where some quota
// speaks of them; devices always do. Nodes count whether or not they are cordoned.
QuotaCover quota_cover(const core::Scheduler& scheduler);

}  // namespace tutti::capacity
