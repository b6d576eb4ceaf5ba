// The spread constraints that hold for a class of pods, with everything about the class worked out:
// selectors completed by matchLabelKeys, defaults filled in, the pod's match with itself.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/config.h"
#include "core/matching/pod_counts.h"

namespace tutti::plugins {

struct SpreadConstraint {
  std::int64_t max_skew = 1;
  std::int64_t min_domains = 1;
  std::string topology_key;
  std::optional<core::PodQuery> counted;  // absent: no pod counts
  bool matches_itself = false;
  bool honor_node_affinity = true;
  bool honor_node_taints = false;
};

struct SpreadRules {
  std::vector<SpreadConstraint> constraints;
  // Whether nodes lacking one of the keys are left out. The built-in defaults do not ask for it, so
  // that clusters without zones still spread over hosts.
  bool needs_all_keys = true;
};

enum class Strictness : std::uint8_t { do_not_schedule, schedule_anyway };

// The pod's own constraints of that strictness. A pod without any constraint gets the defaults if a
// Service, ReplicationController, ReplicaSet or StatefulSet selects it; their selectors together
// then say which pods count.
SpreadRules spread_rules(const core::Cluster& cluster, const core::PodClass& pods,
                         const core::PodTopologySpreadArgs& args, Strictness strictness);

}  // namespace tutti::plugins
