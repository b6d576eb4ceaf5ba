// The arithmetic of PodDisruptionBudgets.
#pragma once

#include "base/std.h"
#include "model/apps.h"

namespace tutti::controllers {

// The pods a budget selects.
struct Guarded {
  std::int64_t pods = 0;
  std::int64_t healthy = 0;  // ready, and nobody has asked for their end
  // How many there should be, by the replicas of what manages them. Pods that nothing manages do
  // not count. Absent: some manager has no replicas.
  std::optional<std::int64_t> replicas;
};

struct Allowance {
  std::int32_t allowed = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected = 0;
  bool operator==(const Allowance&) const = default;
};

// Percentages are rounded up, for and against. Requires a budget with one of the two bounds.
Allowance allowance(const model::PodDisruptionBudget& budget, const Guarded& guarded);

}  // namespace tutti::controllers
