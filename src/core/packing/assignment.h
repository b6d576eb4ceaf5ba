// Assignment: equal items that may not all use the same bins, as one maximum flow.
//
// A member pinned to its host is a kind of its own, and a gang of a thousand has a thousand kinds;
// as long as all of them ask for the same amounts, which of them goes where is a matching. It is
// found or ruled out in polynomial time, and what rules it out is a set of kinds that together may
// use fewer places than they need.
#pragma once

#include <deque>

#include "base/bitset.h"
#include "base/std.h"
#include "core/framework/attempt.h"
#include "core/packing/search_budget.h"

namespace tutti::core {

struct AssignmentProblem {
  struct Kind {
    std::size_t count = 0;
    std::size_t lot = 0;
    Bitset bins;  // that it may use
  };
  std::vector<Kind> kinds;
  std::vector<std::size_t> places;  // by bin: how many items it holds
  std::vector<std::size_t> needs;   // by lot: how many of its items must have a place
};

class Assignment {
 public:
  Assignment(const AssignmentProblem& problem, SearchBudget& budget);

  // found, impossible or exhausted.
  Search solve();
  // After found: the kinds of the items in each bin.
  const std::vector<std::vector<std::size_t>>& load() const { return load_; }
  // After impossible: kinds that compete for bins which have too few places for them.
  std::vector<std::size_t> competing() const;
  Bitset contested_bins() const;

 private:
  // How the search for a place came to a kind: it has an item left (start), an item of it would
  // give way to `kind` in `bin`, or one of its items left would stand in for `kind` in their lot.
  struct Arrival {
    enum class By : std::uint8_t { none, start, giving_way, standing_in };
    By by = By::none;
    std::size_t kind = 0;
    std::size_t bin = 0;
  };

  void place_first_fits();
  bool place_one_more(std::size_t lot);
  bool reach_bins_of(std::size_t kind);
  void arrive(std::size_t kind, const Arrival& arrival);
  void displace_from(std::size_t bin, std::size_t kind);
  void carry_out(std::size_t kind, std::size_t bin);
  void put(std::size_t kind, std::size_t bin) { load_[bin].push_back(kind); }
  void take(std::size_t kind, std::size_t bin);

  const AssignmentProblem& problem_;
  SearchBudget& budget_;
  std::vector<std::vector<std::size_t>> kinds_of_lot_;
  std::vector<std::vector<std::size_t>> load_;  // by bin: kinds of its items
  std::vector<std::size_t> left_;               // by kind: items without a place
  std::vector<std::size_t> missing_;            // by lot
  // The search under way.
  std::vector<Arrival> arrivals_;  // by kind
  Bitset reached_;                 // bins
  std::deque<std::size_t> open_;   // kinds whose bins were not looked at
};

}  // namespace tutti::core
