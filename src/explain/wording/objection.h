// Objection: the sentence about a pod that something other than resources keeps from every node.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/attempt.h"
#include "explain/findings/blocker_choice.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

// "no node has label gpu=h100 (0 of 12)", "2 of 3 members fit; no node takes the next: 2 of 2 nodes
// didn't have free ports". In a group of unlike members it names the pod. Requires a ruling with a
// dominant rejection.
std::string objection(const core::Attempt& attempt, const core::Cluster& cluster,
                      const Demand& demand, const BlockerChoice& ruling);

}  // namespace tutti::explain
