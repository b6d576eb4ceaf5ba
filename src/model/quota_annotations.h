// Our annotations about quota, as people write them and as controllers and the scheduler tell each
// other.
#pragma once

#include "base/std.h"

namespace tutti::model {

// On work, a ClusterQueue or a Cohort: "true", it runs in idle room and leaves for anyone; "false",
// it does not although its queue says so. The nearest counts.
inline constexpr std::string_view kOpportunistic = "tutti.dev/opportunistic";
// On a set of replicas: how many of them keep what they have.
inline constexpr std::string_view kGuaranteedReplicas = "tutti.dev/guaranteed-replicas";
// On a request of one replica: "guaranteed" or "burst".
inline constexpr std::string_view kTenure = "tutti.dev/tenure";
// On an elastic Job: the pods that it cannot do without.
inline constexpr std::string_view kMinParallelism = "tutti.dev/min-parallelism";
// On a Job that runs with fewer pods than its author asked for: how many those were.
inline constexpr std::string_view kAskedParallelism = "tutti.dev/asked-parallelism";

}  // namespace tutti::model
