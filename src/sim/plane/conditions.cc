#include "sim/plane/conditions.h"

#include <algorithm>
#include <utility>

namespace tutti::sim {

bool set_condition(model::Conditions& conditions, model::Condition condition, Instant now) {
  const auto at = std::ranges::find(conditions, condition.type, &model::Condition::type);
  const bool known = at != conditions.end();
  if (known && at->status == condition.status) {
    condition.last_transition = at->last_transition;
  } else if (!condition.last_transition) {
    condition.last_transition = now;
  }
  if (!known) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (*at == condition) return false;
  const auto index = at - conditions.begin();
  conditions.edit()[static_cast<std::size_t>(index)] = std::move(condition);
  return true;
}

}  // namespace tutti::sim
