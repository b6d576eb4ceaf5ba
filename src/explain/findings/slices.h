// Slices: so many members each that must stay in one domain of the slices' key, counted against
// nodes as if nothing ran on them.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

// Requires slices.
std::size_t slices_needed(const Demand& demand);
// At most how many whole slices the empty nodes hold: those of the best domain that the demand must
// stay in as a whole, or of all nodes. No node outside the slices' domains counts.
std::size_t slices_fitting(const core::Cluster& cluster, const Demand& demand);
// Whether no state of these nodes could hold the slices. False without slices, and where no node
// has a label of their key.
bool slices_too_large(const core::Cluster& cluster, const Demand& demand);

}  // namespace tutti::explain
