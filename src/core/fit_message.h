// Sentences about attempts, in the form kubectl users know: "0/3 nodes are available: …".
#pragma once

#include <string>
#include <string_view>

#include "core/attempt.h"
#include "core/cluster.h"
#include "core/groups.h"
#include "core/leaf_solver.h"

namespace tutti::core {

// What a message says when the search neither found a placement nor ruled it out.
inline constexpr std::string_view kBudgetEnded = " (the search budget ended before a proof)";

// "0/5 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable."
std::string fit_message(const Diagnosis& diagnosis);
// What NodeResourcesFit says of a node that has too little of this: "Insufficient cpu".
std::string shortage_text(std::string_view resource);
// "; 30 members, job-7 among them, may use 20 nodes with room for 20"; empty without a competition.
std::string competition_text(const Cluster& cluster, const Competition& competition);

// Why a leaf group (or lone pod) could not be placed.
std::string leaf_message(const Cluster& cluster, const GroupTable& groups,
                         const LeafResult& result);
// Which class report covers the pod, by shape; Unplaced::kGroup when none does.
std::size_t report_of(const Cluster& cluster, const LeafResult& result, PodId pod);
}  // namespace tutti::core
