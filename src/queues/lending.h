// Whose quota it is that others borrow.
//
// The rules of quota know only that a queue uses more than its own and that its cohort has enough.
// People ask whose it is. The books are balanced per cohort and flavor-resource: what children use
// beyond their quota comes first out of the cohort's own quota, then out of what its other children
// leave idle, in proportion to it, and the rest from above. What a cohort lends upwards it takes
// the same way. So everything borrowed is lent by somebody, once.
#pragma once

#include <map>

#include "base/std.h"
#include "quota/tree.h"

namespace tutti::queues {

// By node and flavor-resource; absent: nothing is lent.
using Lent = std::map<std::pair<quota::QuotaNodeId, quota::FlavorResourceId>, quota::Amount>;

Lent lent_by_all(const quota::Tree& tree);

}  // namespace tutti::queues
