#include "controllers/disruption/allowance.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace tutti::controllers {
namespace {

std::int64_t count(const model::CountOrPercent& bound, std::int64_t of) {
  return bound.percent ? (bound.value * of + 99) / 100 : bound.value;
}

std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

Allowance allowance(const model::PodDisruptionBudget& budget, const Guarded& guarded) {
  TUTTI_CHECK(budget.min_available || budget.max_unavailable);
  const bool by_replicas = budget.max_unavailable || budget.min_available->percent;
  if (by_replicas && !guarded.replicas) return {};
  const std::int64_t expected = by_replicas ? *guarded.replicas : guarded.pods;
  const std::int64_t desired = std::max<std::int64_t>(
      0, budget.max_unavailable ? expected - count(*budget.max_unavailable, expected)
                                : count(*budget.min_available, expected));
  const std::int64_t allowed = expected > 0 ? guarded.healthy - desired : 0;
  return {narrow(allowed), narrow(desired), narrow(expected)};
}

}  // namespace tutti::controllers
