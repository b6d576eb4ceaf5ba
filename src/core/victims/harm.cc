#include "core/victims/harm.h"

#include <algorithm>

#include "base/check.h"
#include "core/victims/victims.h"

namespace tutti::core {
namespace {

std::int64_t beyond(std::int64_t used, std::int64_t allowed) {
  return std::max<std::int64_t>(0, used - allowed);
}

}  // namespace

HarmTally::HarmTally(const VictimTable& victims)
    : victims_(victims),
      used_(victims.allowances.size()),
      marks_(victims.bonds.empty() ? 0 : victims.units.size()),
      lost_(victims.bonds.size()) {}

void HarmTally::change(std::uint32_t index, std::int32_t sign) {
  TUTTI_CHECK(index < victims_.units.size(), "a unit of another table");
  const VictimUnit& unit = victims_.units[index];
  if (!tied()) {
    count(unit, sign);
    sum_.cost += sign * unit.cost;
    return;
  }
  const Mark before = marks_[index];
  TUTTI_CHECK(before.chosen != (sign > 0), "a unit is added once and removed once");
  marks_[index].chosen = sign > 0;
  follow(index, before, marks_[index]);
  if (unit.counts) loosen(unit.bond, sign);
}

// A bond that a member goes from may be the member that the next one loses.
void HarmTally::loosen(std::uint32_t index, std::int32_t sign) {
  while (index != kNoIndex) {
    const Bond& bond = victims_.bonds[index];
    const bool down = lost_[index] > bond.spare;
    lost_[index] += sign;
    TUTTI_CHECK(lost_[index] >= 0, "a gang gets back a member that it never lost");
    if (down == (lost_[index] > bond.spare)) return;
    tip(bond, sign);
    index = bond.counts ? bond.parent : kNoIndex;
  }
}

void HarmTally::tip(const Bond& bond, std::int32_t sign) {
  if (!bond.whole && !bond.stalls) return;
  for (const std::uint32_t unit : bond.units) {
    const Mark before = marks_[unit];
    std::uint32_t& tipped = bond.whole ? marks_[unit].taken : marks_[unit].stalled;
    TUTTI_CHECK(sign > 0 || tipped > 0, "a unit is put back that never fell");
    tipped += static_cast<std::uint32_t>(sign);
    follow(unit, before, marks_[unit]);
  }
  sum_.cost += sign * bond.rest_cost;
}

void HarmTally::follow(std::uint32_t index, const Mark& before, const Mark& after) {
  const VictimUnit& unit = victims_.units[index];
  if (before.falls() != after.falls()) count(unit, after.falls() ? +1 : -1);
  if (before.is_lost() != after.is_lost()) sum_.cost += after.is_lost() ? unit.cost : -unit.cost;
}

void HarmTally::count(const VictimUnit& unit, std::int32_t sign) {
  for (const std::uint32_t budget : victims_.budgets_of(unit)) {
    const std::int64_t allowed = victims_.allowances[budget];
    sum_.violations -= beyond(used_[budget], allowed);
    used_[budget] += sign;
    TUTTI_CHECK(used_[budget] >= 0, "a budget gets back what was never taken");
    sum_.violations += beyond(used_[budget], allowed);
  }
  sum_.units += sign;
  TUTTI_CHECK(sum_.units >= 0, "fewer units than none");
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

bool HarmTally::tips(std::uint32_t index, std::int64_t others_of_its_bond) const {
  const std::uint32_t bond = victims_.units[index].bond;
  if (!victims_.units[index].counts || marks_[index].falls()) return false;
  const std::int64_t gone = lost_[bond] + others_of_its_bond;
  return gone <= victims_.bonds[bond].spare && gone + 1 > victims_.bonds[bond].spare;
}

std::vector<std::uint32_t> HarmTally::fallen() const {
  std::vector<std::uint32_t> units;
  for (std::uint32_t unit = 0; unit < marks_.size(); ++unit) {
    if (marks_[unit].falls()) units.push_back(unit);
  }
  return units;
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

std::vector<std::uint32_t> with_those_that_fall(const VictimTable& victims,
                                                std::span<const std::uint32_t> units) {
  if (victims.bonds.empty()) return {units.begin(), units.end()};
  HarmTally tally(victims);
  for (const std::uint32_t unit : units) tally.add(unit);
  return tally.fallen();
}

}  // namespace tutti::core
