// Sentences about attempts, in the form kubectl users know: "0/3 nodes are available: …".
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/attempt.h"
#include "core/framework/reason_text.h"
#include "core/placement/leaf_solver.h"

namespace tutti::core {

// "; 30 members, job-7 among them, may use 20 nodes with room for 20"; empty without a competition.
std::string competition_text(const Cluster& cluster, const Competition& competition);

// Why a leaf group (or lone pod) could not be placed.
std::string leaf_message(const Cluster& cluster, const GroupTable& groups,
                         const LeafResult& result);
// Which class report covers the pod, by shape; Unplaced::kGroup when none does.
std::size_t report_of(const Cluster& cluster, const LeafResult& result, PodId pod);
}  // namespace tutti::core
