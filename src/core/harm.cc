#include "core/harm.h"

#include <algorithm>

#include "base/check.h"
#include "core/victims.h"

namespace tutti::core {
namespace {

std::int64_t beyond(std::int64_t used, std::int64_t allowed) {
  return std::max<std::int64_t>(0, used - allowed);
}

}  // namespace

HarmTally::HarmTally(const VictimTable& victims)
    : victims_(victims), used_(victims.allowances.size()), lost_(victims.gangs.size()) {}

void HarmTally::change(std::uint32_t index, std::int32_t sign) {
  const VictimUnit& unit = victims_.units[index];
  for (const std::uint32_t budget : victims_.budgets_of(unit)) {
    const std::int64_t allowed = victims_.allowances[budget];
    sum_.violations -= beyond(used_[budget], allowed);
    used_[budget] += sign;
    sum_.violations += beyond(used_[budget], allowed);
  }
  if (unit.gang != kNoIndex) {
    const VictimTable::Gang& gang = victims_.gangs[unit.gang];
    const bool stalled = lost_[unit.gang] > gang.surplus;
    lost_[unit.gang] += sign;
    if (stalled != (lost_[unit.gang] > gang.surplus)) sum_.cost += sign * gang.stall_cost;
  }
  sum_.cost += sign * unit.cost;
  sum_.units += sign;
  sum_.pods += sign * static_cast<std::int32_t>(unit.pod_count);

  const auto at = std::ranges::lower_bound(priorities_, unit.priority, std::ranges::greater{},
                                           &std::pair<std::int32_t, std::int32_t>::first);
  if (at != priorities_.end() && at->first == unit.priority) {
    at->second += sign;
    if (at->second == 0) priorities_.erase(at);
    return;
  }
  TUTTI_CHECK(sign > 0, "a unit that was never counted");
  priorities_.insert(at, {unit.priority, 1});
}

Harm HarmTally::harm() const {
  Harm harm = sum_;
  if (!priorities_.empty()) harm.priority = priorities_.front().first;
  return harm;
}

Harm HarmTally::with(std::span<const std::uint32_t> units) {
  for (const std::uint32_t unit : units) add(unit);
  const Harm harm = this->harm();
  for (const std::uint32_t unit : units) remove(unit);
  return harm;
}

Harm harm_of(const VictimTable& victims, std::span<const std::uint32_t> units) {
  return HarmTally(victims).with(units);
}

}  // namespace tutti::core
