// PatternSearch: a packing found by choosing, for every bin at once, one of the ways to fill it.
//
// Where bins hold a handful of items and are nearly full, what is left over cannot be placed by
// moving single items. Here every bin has a list of maximal fillings, and the search looks for one
// of each that together cover what is wanted.
//
//   fillings ──> prices: what an item of each kind is worth, such that the best fillings of all
//                bins are worth as little more than everything wanted as possible: the slack.
//                Negative: nothing covers it, whatever is chosen.
//            ──> annealing: one bin's filling after another is changed, among choices that lose no
//                more than the slack in all. No other choice can cover everything.
//
// The same numbers come in the same order every time.
#pragma once

#include <map>

#include "base/random.h"
#include "base/std.h"
#include "core/packing/search_budget.h"

namespace tutti::core {

struct PackingProblem;

class PatternSearch {
 public:
  // `wanted` says how many of each kind to pack.
  PatternSearch(const PackingProblem& problem, std::span<const std::size_t> wanted,
                SearchBudget& budget);

  enum class Answer : std::uint8_t { found, none, unknown };
  // none: what is wanted cannot be packed.
  Answer run();
  // Returns how many of each kind the bin holds at most in a found packing; together enough of all.
  std::span<const std::uint32_t> filling(std::size_t bin) const;

 private:
  using Filling = std::vector<std::uint32_t>;  // by kind
  bool list_fillings();
  bool extend(std::vector<std::int64_t>& free, const std::vector<bool>& allowed, std::size_t kind,
              Filling& made, std::vector<Filling>& list);
  bool maximal(std::span<const std::int64_t> free, const std::vector<bool>& allowed,
               const Filling& made) const;

  bool set_prices();
  std::int64_t slack_of(std::span<const std::int64_t> prices);
  void adjust(std::vector<std::int64_t>& prices, std::int64_t step) const;
  void weigh_losses();
  std::int64_t worth(const Filling& filling, std::span<const std::int64_t> prices) const;

  bool anneal(std::int64_t loss_max);
  void start(std::int64_t loss_max);
  bool change_one(Random& random, unsigned strictness);
  std::int64_t cost_of(std::size_t bin, const Filling& other) const;
  void choose(std::size_t bin, std::size_t filling);
  bool covered() const;

  const PackingProblem& problem_;
  std::vector<std::int64_t> wanted_;
  SearchBudget& budget_;
  std::size_t looks_ = 0;
  std::vector<std::size_t> order_;              // kinds, large first
  std::vector<std::vector<Filling>> fillings_;  // by sort of bin
  std::vector<std::size_t> sort_of_;            // by bin
  std::vector<std::int64_t> bins_of_;           // by sort: how many
  std::vector<std::int64_t> held_;              // by kind, over all bins

  std::vector<std::int64_t> prices_;               // by kind
  std::int64_t slack_ = 0;                         // in prices
  std::vector<std::vector<std::int64_t>> losses_;  // by sort and filling: against the best one

  std::vector<std::vector<std::size_t>> candidates_;  // by sort: fillings to choose from
  std::vector<std::size_t> open_;                     // bins that have a choice
  std::vector<std::size_t> chosen_;                   // by bin
  std::int64_t lost_ = 0;                             // by what is chosen
};

}  // namespace tutti::core
