// The one sentence of a verdict about something that was tried and did not fit.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/attempt.h"
#include "explain/findings/blocker_choice.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

// Members that run or found room in the attempt; of a group bound to a domain, in its best one.
std::size_t members_had(const core::Attempt& attempt, const Demand& demand);

// "needs 4 pods of 3 cpu at once; 3 fit now (3 nodes have room for one each), 1 more needs 3 cpu on
// one node". The ruling is classify()'s answer for the same attempt and demand.
std::string sentence(const core::Attempt& attempt, const core::Cluster& cluster,
                     const Demand& demand, const BlockerChoice& ruling);

}  // namespace tutti::explain
