// Harm: what evicting a set of units does to others, in the order in which it is kept small.
//
//   1. violations   pods evicted beyond what their disruption budgets allow, summed over budgets
//   2. priority     the highest priority among the units
//   3. cost         work thrown away; see victim_cost.h
//   4. units, pods  how many
//
// Who falls with a unit (gang_ties.h) counts as if it had been chosen, too. More units are never
// less
// harm: every figure can only grow. The search relies on it.
#pragma once

#include <compare>
#include <limits>

#include "base/std.h"
#include "core/shapes/ids.h"

namespace tutti::core {

struct Bond;
struct VictimTable;
struct VictimUnit;

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
  // Returns the harm of the set with these units on top; each must not be in it.
  Harm with(std::span<const std::uint32_t> units);

  // Whether the unit is in the set, or falls with those that are.
  bool falls(std::uint32_t unit) const { return tied() && marks_[unit].falls(); }
  // Whether one more unit would take others with it, or leave them of no use.
  bool tips(std::uint32_t unit, std::int64_t others_of_its_bond = 0) const;
  // Members that the bond has lost.
  std::int64_t lost(std::uint32_t bond) const { return lost_[bond]; }
  // The units in the set and all that fall with them, in order.
  std::vector<std::uint32_t> fallen() const;

 private:
  // Why a unit counts.
  struct Mark {
    bool chosen = false;
    std::uint32_t taken = 0;    // bonds above it that took it down
    std::uint32_t stalled = 0;  // bonds above it that left it of no use
    bool falls() const { return chosen || taken > 0; }
    bool is_lost() const { return falls() || stalled > 0; }
  };

  // Whether any unit can take others with it; if not, nothing is kept by unit.
  bool tied() const { return !marks_.empty(); }
  void change(std::uint32_t unit, std::int32_t sign);
  void loosen(std::uint32_t bond, std::int32_t sign);
  void tip(const Bond& bond, std::int32_t sign);
  // The figures of a unit by itself, and its part in the cost.
  void count(const VictimUnit& unit, std::int32_t sign);
  void follow(std::uint32_t unit, const Mark& before, const Mark& after);

  const VictimTable& victims_;
  std::vector<std::int64_t> used_;                                 // by budget
  std::vector<Mark> marks_;                                        // by unit
  std::vector<std::int64_t> lost_;                                 // members, by bond
  std::vector<std::pair<std::int32_t, std::int32_t>> priorities_;  // with counts, highest first
  Harm sum_;                                                       // all but the priority
};

Harm harm_of(const VictimTable& victims, std::span<const std::uint32_t> units);
// The units and all that fall with them.
std::vector<std::uint32_t> with_those_that_fall(const VictimTable& victims,
                                                std::span<const std::uint32_t> units);

}  // namespace tutti::core
