// UnitGains: for how many more members of the asker the end of each unit could make room, by
// counting what the node they share has too little of. Never too low, so that sets whose gains do
// not add up to what is missing need not be tried.
#pragma once

#include "base/std.h"
#include "whatif/headroom.h"
#include "whatif/units.h"

namespace tutti::whatif {

class UnitGains {
 public:
  struct Gain {
    std::uint32_t unit = 0;
    std::int64_t members = 0;
  };
  // One domain of the asker's topology key, or the whole cluster.
  struct Domain {
    std::string value;         // of the key
    std::int64_t missing = 0;  // members that find no room in it now
    std::size_t least = 1;     // units that have to end at least
    std::int64_t largest = 0;  // gain of one unit
    std::vector<Gain> units;   // that are there at all, ascending
  };

  UnitGains(const Rehearsal& rehearsal, const Headroom& headroom, const Units& units,
            core::ResourceId scarce);

  // Returns the domains in which the end of everyone could do, fewest units first.
  const std::vector<Domain>& domains() const { return domains_; }
  // In the domain where it gains most.
  std::int64_t gain(std::uint32_t unit) const { return gains_[unit]; }
  std::int64_t largest() const { return largest_; }
  // In the domain where the fewest are.
  std::int64_t missing() const { return missing_; }
  // Return how much of the scarce resource the unit holds, and the unit that holds the least.
  std::int64_t amount(std::uint32_t unit) const { return amounts_[unit]; }
  std::int64_t least_amount() const { return least_amount_; }

 private:
  struct Share {
    std::uint32_t domain = 0;
    std::uint32_t unit = 0;
    std::int64_t gain = 0;
  };
  void weigh(std::uint32_t unit);  // into amounts_ and freed_
  void add_shares(std::uint32_t unit, std::vector<Share>& shares);
  void sum_up(const std::vector<Share>& shares);

  const core::Cluster& cluster_;
  const Headroom& headroom_;
  const Units& units_;
  core::ResourceId scarce_;
  std::vector<std::uint32_t> domain_of_;  // by node
  // What one unit frees where; kept for its memory.
  std::vector<std::pair<core::NodeId, std::int64_t>> freed_;
  std::vector<Domain> domains_;
  std::vector<std::int64_t> gains_;
  std::vector<std::int64_t> amounts_;
  std::int64_t largest_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t least_amount_ = 0;
};

}  // namespace tutti::whatif
