// Which parts of the upkeep of workloads a cluster lacks.
//
//   part        done where                              because
//   stamping    Workloads and PodGroups are served      no release makes PodGroups of Workloads
//   that
//                                                       people write themselves
//   protection  PodGroups are served                    kube-controller-manager does it, unless it
//                                                       runs without the gate: a deleted group that
//                                                       has been free for long is let go
//   jobs        never                                   kube-controller-manager, or in memory, by
//                                                       tutti scheduler
//   claims      never                                   kube-controller-manager makes the claims of
//                                                       PodGroups
#pragma once

#include "base/std.h"
#include "kube/client/discovery.h"
#include "kube/client/feature_gates.h"

namespace tutti::upkeep {

// What is known of Kueue's queues in the cluster.
struct QueueFacts {
  bool served = false;         // its kinds, readable
  bool kueue_at_work = false;  // its manager starts and stops work itself
};

struct Part {
  std::string name;
  bool done = false;
  std::string why;
};

// `asked`: names of parts that are wanted; none: all that the cluster lacks.
std::vector<Part> choose_parts(const kube::Served& served,
                               const std::optional<kube::FeatureGates>& gates,
                               const QueueFacts& queues, const std::vector<std::string>& asked);

// Names that may be asked for.
std::vector<std::string> part_names();

}  // namespace tutti::upkeep
