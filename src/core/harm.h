// Harm: what evicting a set of units does to others, in the order in which it is kept small.
//
//   1. violations   pods evicted beyond what their disruption budgets allow, summed over budgets
//   2. priority     the highest priority among the units
//   3. cost         work thrown away; see victim_cost.h
//   4. units, pods  how many
//
// More units are never less harm: every figure can only grow. The search relies on it.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace tutti::core {

struct VictimTable;

struct Harm {
  static constexpr std::int32_t kNobody = std::numeric_limits<std::int32_t>::min();

  std::int64_t violations = 0;
  std::int32_t priority = kNobody;
  std::int64_t cost = 0;
  std::int32_t units = 0;
  std::int32_t pods = 0;
  auto operator<=>(const Harm&) const = default;
};

// Keeps the harm of a set of units up to date as units come and go.
class HarmTally {
 public:
  // `victims` must outlive it.
  explicit HarmTally(const VictimTable& victims);

  void add(std::uint32_t unit) { change(unit, +1); }
  void remove(std::uint32_t unit) { change(unit, -1); }
  Harm harm() const;
  // Of the set with these units on top; each must not be in it.
  Harm with(std::span<const std::uint32_t> units);

 private:
  void change(std::uint32_t unit, std::int32_t sign);

  const VictimTable& victims_;
  std::vector<std::int64_t> used_;                                 // by budget
  std::vector<std::int64_t> lost_;                                 // members, by gang
  std::vector<std::pair<std::int32_t, std::int32_t>> priorities_;  // with counts, highest first
  Harm sum_;                                                       // all but the priority
};

Harm harm_of(const VictimTable& victims, std::span<const std::uint32_t> units);

}  // namespace tutti::core
