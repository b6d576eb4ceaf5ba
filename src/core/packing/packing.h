// Packing: whether counted kinds of items fit into bins, and how; the exact search for members that
// do not care about each other, on plain numbers.
//
// In this order, ending with the first answer:
//   1. counting: each lot's kinds alone, and all of them against the total, may rule it out;
//   2. greedy: large items first into the tightest bin, by several measures of large and tight;
//      items that all ask for the same are then a matching (assignment.h), which is the last word;
//   3. patterns: a way to fill every bin that together cover everything (pattern_search.h), or the
//      proof that there are none;
//   4. repair: items that greedy leaves over push out smaller ones, which look for another bin;
//   5. depth first over everything: hardest kind first, equal bins once, failed states remembered.
#pragma once

#include <unordered_set>

#include "base/bitset.h"
#include "base/std.h"
#include "core/framework/attempt.h"
#include "core/packing/search_budget.h"

namespace tutti::core {

// What is to be packed. Amounts and bins have the same dimensions, in the same order.
struct PackingProblem {
  struct Kind {
    std::vector<std::int64_t> amounts;  // by dimension, not negative
    std::size_t count = 0;
    std::size_t lot = 0;
    Bitset bins;  // that it may go into, if there is room
  };
  std::vector<Kind> kinds;
  std::vector<std::vector<std::int64_t>> bins;  // what is free, by dimension
  std::vector<std::size_t> needs;               // by lot: how many of its items must be packed
};

class Packing {
 public:
  Packing(const PackingProblem& problem, SearchBudget& budget);

  // found, impossible or exhausted.
  Search solve();
  // Returns the bins of each kind's items in a found packing.
  std::vector<std::vector<std::size_t>> placed() const;
  // Returns the kinds that compete for contested_bins() if a matching ruled them out; else none.
  const std::vector<std::size_t>& competing() const { return competing_; }
  const Bitset& contested_bins() const { return contested_; }

 private:
  struct Move {
    std::uint32_t kind;
    std::uint32_t bin;
    bool put;  // or taken out
  };

  // Step 1: counting.
  bool out_of_reach() const;
  std::int64_t least_total(std::size_t dimension, std::size_t lot) const;
  std::size_t fitting(std::size_t kind, std::size_t bin) const;
  void measure();

  // The matching of step 2, where it is the last word.
  bool all_ask_for_the_same() const;
  Search assign();

  enum class Leftovers : std::uint8_t { give_up, repair };
  // Steps 2 to 4. `rule` is one measure of tight.
  bool greedy(Leftovers leftovers);
  bool greedy(std::span<const std::size_t> order, int rule, Leftovers leftovers);
  Search fill_by_patterns();
  std::vector<std::vector<std::size_t>> orders() const;
  std::vector<std::size_t> cheapest() const;
  void start_over();

  // Step 4, with a bound on how deep and how long it looks.
  bool repair(std::size_t kind);
  bool find_place(std::size_t kind, int depth, std::size_t& steps);
  bool push_out(std::size_t kind, std::size_t bin, int depth, std::size_t& steps);
  bool place_all(std::size_t kind, std::size_t count, int depth, std::size_t& steps);
  std::size_t to_push_out(std::size_t kind, std::size_t bin, std::size_t other) const;

  // Step 5.
  bool descend();
  bool leave_out(std::size_t kind);
  bool lots_in_reach(std::span<const std::vector<std::size_t>> open) const;
  std::vector<std::size_t> open_bins(std::size_t kind) const;
  bool totals_suffice() const;

  bool fits(std::size_t kind, std::size_t bin) const;
  std::int64_t tightness(std::size_t kind, std::size_t bin, int rule) const;
  std::size_t tightest_bin(std::size_t kind, int rule);
  void put(std::size_t kind, std::size_t bin);
  void take(std::size_t kind, std::size_t bin);
  void undo_to(std::size_t moves);
  std::uint64_t digest_of(std::size_t kind, std::size_t bin) const;
  std::int64_t amount(std::size_t kind, std::size_t d) const {
    return amounts_[kind * dimensions_ + d];
  }
  std::int64_t free(std::size_t bin, std::size_t d) const { return free_[bin * dimensions_ + d]; }
  std::uint32_t& load(std::size_t bin, std::size_t kind) {
    return load_[bin * kinds_.size() + kind];
  }

  const PackingProblem& problem_;
  std::span<const PackingProblem::Kind> kinds_;
  SearchBudget& budget_;
  std::size_t dimensions_ = 0;
  std::vector<std::int64_t> amounts_;  // kind by dimension
  std::vector<std::int64_t> free_;     // bin by dimension
  std::vector<std::int64_t> total_;    // free at the start, by dimension
  std::vector<std::int64_t> size_;     // of a kind: its largest share of a total, in millionths
  std::vector<std::uint32_t> load_;    // bin by kind
  std::vector<std::size_t> left_;      // by kind: neither packed nor given up
  std::vector<std::size_t> missing_;   // by lot
  std::vector<Move> moves_;
  std::uint64_t state_ = 0;  // of what is packed and given up, whatever the order
  std::unordered_set<std::uint64_t> failed_;
  std::vector<std::size_t> competing_;
  Bitset contested_;
};

}  // namespace tutti::core
