// PatternSearch: a packing found by choosing, for every bin at once, one of the ways to fill it.
//
// Where bins hold a handful of items and are nearly full, what is left over cannot be placed by
// moving single items. Here every bin has a list of maximal fillings, and the search changes one
// bin's filling at a time until together they cover what is wanted: annealing, with changes for the
// worse allowed less and less, again and again. The same numbers come in the same order every time.
// A heuristic: it finds, or gives up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/search_budget.h"

namespace tutti::core {

struct PackingProblem;

class PatternSearch {
 public:
  // `wanted` says how many of each kind to pack.
  PatternSearch(const PackingProblem& problem, std::span<const std::size_t> wanted,
                SearchBudget& budget);

  bool run();
  // Of a found packing: how many of each kind the bin holds at most; together enough of every kind.
  std::span<const std::uint32_t> filling(std::size_t bin) const;

 private:
  using Filling = std::vector<std::uint32_t>;  // by kind
  bool list_fillings();
  bool extend(std::vector<std::int64_t>& free, const std::vector<bool>& allowed, std::size_t kind,
              Filling& made, std::vector<Filling>& list);
  bool maximal(std::span<const std::int64_t> free, const std::vector<bool>& allowed,
               const Filling& made) const;
  void start();
  void choose(std::size_t bin, std::size_t filling);
  std::int64_t cost_of(std::size_t bin, const Filling& other) const;
  bool covered() const;

  const PackingProblem& problem_;
  std::vector<std::int64_t> wanted_;
  SearchBudget& budget_;
  std::size_t looks_ = 0;
  std::vector<std::size_t> order_;              // kinds, large first
  std::vector<std::vector<Filling>> fillings_;  // by sort of bin
  std::vector<std::size_t> sort_of_;            // by bin
  std::vector<std::size_t> chosen_;             // by bin
  std::vector<std::int64_t> held_;              // by kind, over all bins
};

}  // namespace tutti::core
