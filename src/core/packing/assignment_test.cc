#include "core/packing/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tutti::core {
namespace {

AssignmentProblem::Kind item_kind(std::size_t count, std::size_t lot, std::size_t bins,
                                  std::initializer_list<std::size_t> usable) {
  AssignmentProblem::Kind kind{count, lot, Bitset(bins)};
  for (const std::size_t bin : usable) kind.bins.set(bin);
  return kind;
}

// Tries every way to place the items, one kind after the other.
bool placeable(const AssignmentProblem& problem, std::size_t kind, std::vector<std::size_t>& free,
               std::vector<std::size_t>& missing) {
  if (std::ranges::all_of(missing, [](std::size_t count) { return count == 0; })) return true;
  if (kind == problem.kinds.size()) return false;
  const auto& each = problem.kinds[kind];
  const auto spread = [&](const auto& self, std::size_t bin, std::size_t left) -> bool {
    if (bin == free.size() || left == 0) return placeable(problem, kind + 1, free, missing);
    for (std::size_t here = 0; here <= left; ++here) {
      if (here > 0 && (!each.bins.test(bin) || free[bin] < here)) break;
      if (here > missing[each.lot]) break;
      free[bin] -= here;
      missing[each.lot] -= here;
      const bool found = self(self, bin + 1, left - here);
      free[bin] += here;
      missing[each.lot] += here;
      if (found) return true;
    }
    return false;
  };
  return spread(spread, 0, each.count);
}

AssignmentProblem random_problem(std::uint32_t seed) {
  const auto dice = [&seed](std::uint32_t limit) {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<std::size_t>((seed >> 8U) % limit);
  };
  AssignmentProblem problem;
  const std::size_t bins = 1 + dice(4);
  const std::size_t lots = 1 + dice(2);
  for (std::size_t bin = 0; bin < bins; ++bin) problem.places.push_back(dice(3));
  std::vector<std::size_t> members(lots, 0);
  for (std::size_t k = 1 + dice(4); k-- > 0;) {
    AssignmentProblem::Kind kind{1 + dice(2), dice(static_cast<std::uint32_t>(lots)), Bitset(bins)};
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (dice(2) == 0) kind.bins.set(bin);
    }
    members[kind.lot] += kind.count;
    problem.kinds.push_back(std::move(kind));
  }
  for (const std::size_t count : members) {
    problem.needs.push_back(dice(static_cast<std::uint32_t>(count + 1)));
  }
  return problem;
}

std::string what_is_wrong_with(const AssignmentProblem& problem, const Assignment& found) {
  std::vector<std::size_t> used(problem.kinds.size(), 0);
  std::vector<std::size_t> placed(problem.needs.size(), 0);
  for (std::size_t bin = 0; bin < found.load().size(); ++bin) {
    if (found.load()[bin].size() > problem.places[bin]) return "a bin holds too much";
    for (const std::size_t kind : found.load()[bin]) {
      if (!problem.kinds[kind].bins.test(bin)) return "an item is where it may not be";
      ++used[kind];
      ++placed[problem.kinds[kind].lot];
    }
  }
  for (std::size_t kind = 0; kind < used.size(); ++kind) {
    if (used[kind] > problem.kinds[kind].count) return "an item was placed twice";
  }
  for (std::size_t lot = 0; lot < placed.size(); ++lot) {
    if (placed[lot] < problem.needs[lot]) return "a lot has too few";
  }
  return {};
}

TEST(Assignment, agreesWithTryingEverything) {
  for (std::uint32_t seed = 1; seed <= 4000; ++seed) {
    const AssignmentProblem problem = random_problem(seed);
    SearchBudget budget(1'000'000);
    Assignment assignment(problem, budget);
    const Search answer = assignment.solve();
    auto free = problem.places;
    auto missing = problem.needs;
    ASSERT_EQ(answer == Search::found, placeable(problem, 0, free, missing)) << "seed " << seed;
    if (answer == Search::found) {
      ASSERT_EQ(what_is_wrong_with(problem, assignment), "") << "seed " << seed;
    }
  }
}

TEST(Assignment, letsItemsGiveWayAlongAChain) {
  AssignmentProblem problem;
  problem.places = {1, 1, 1};
  problem.needs = {3};
  problem.kinds = {item_kind(1, 0, 3, {0, 1}), item_kind(1, 0, 3, {0, 2}), item_kind(1, 0, 3, {0})};
  SearchBudget budget(1000);
  Assignment assignment(problem, budget);
  EXPECT_EQ(assignment.solve(), Search::found);
}

TEST(Assignment, namesThoseWhoCompeteForTooFewPlaces) {
  AssignmentProblem problem;
  problem.places = {1, 1, 5};
  problem.needs = {4};
  problem.kinds = {item_kind(1, 0, 3, {2}), item_kind(1, 0, 3, {0, 1}), item_kind(1, 0, 3, {0, 1}),
                   item_kind(1, 0, 3, {0, 1})};
  SearchBudget budget(1000);
  Assignment assignment(problem, budget);
  ASSERT_EQ(assignment.solve(), Search::impossible);
  EXPECT_EQ(assignment.competing(), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(assignment.contested_bins().count(), 2U);
}

TEST(Assignment, endsWithItsBudget) {
  AssignmentProblem problem;
  problem.places = {1, 1};
  problem.needs = {2};
  problem.kinds = {item_kind(1, 0, 2, {0, 1}), item_kind(1, 0, 2, {0})};
  SearchBudget budget(0);
  Assignment assignment(problem, budget);
  EXPECT_EQ(assignment.solve(), Search::exhausted);
}

}  // namespace
}  // namespace tutti::core
