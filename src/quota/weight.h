// Weight: `fairSharing.weight` of a ClusterQueue, Cohort or LocalQueue, exactly.
#pragma once

#include <compare>

#include "base/std.h"

namespace tutti::quota {

// In billionths, the finest a Kubernetes quantity can say. 0 is legal: whoever has it owes the most
// as soon as it borrows.
struct Weight {
  std::uint64_t nano = 1'000'000'000;
  auto operator<=>(const Weight&) const = default;
};

}  // namespace tutti::quota
