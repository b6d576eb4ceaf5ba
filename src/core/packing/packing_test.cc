#include "core/packing/packing.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace tutti::core {
namespace {

using Amounts = std::vector<std::int64_t>;

PackingProblem problem(std::vector<Amounts> bins,
                       const std::vector<std::pair<Amounts, std::size_t>>& kinds,
                       std::size_t need) {
  PackingProblem made{{}, std::move(bins), {need}};
  for (const auto& [amounts, count] : kinds) {
    PackingProblem::Kind kind{amounts, count, 0, Bitset(made.bins.size())};
    kind.bins.fill();
    made.kinds.push_back(std::move(kind));
  }
  return made;
}

Search solve(const PackingProblem& asked, std::size_t steps = 1'000'000) {
  SearchBudget budget(steps);
  return Packing(asked, budget).solve();
}

// What is wrong with a packing, or "".
std::string problem_with(const PackingProblem& asked, const Packing& packing) {
  const auto placed = packing.placed();
  auto free = asked.bins;
  std::vector<std::size_t> got(asked.needs.size(), 0);
  for (std::size_t k = 0; k < placed.size(); ++k) {
    const auto& kind = asked.kinds[k];
    if (placed[k].size() > kind.count) return "more items than there are";
    got[kind.lot] += placed[k].size();
    for (const std::size_t bin : placed[k]) {
      if (!kind.bins.test(bin)) return "an item in a bin that is not for it";
      for (std::size_t d = 0; d < kind.amounts.size(); ++d) {
        if ((free[bin][d] -= kind.amounts[d]) < 0) return "a bin overflows";
      }
    }
  }
  for (std::size_t lot = 0; lot < got.size(); ++lot) {
    if (got[lot] < asked.needs[lot]) return "a lot lacks items";
  }
  return {};
}

TEST(Packing, findsTheOnlyWay) {
  EXPECT_EQ(solve(problem({{6}, {4}, {4}}, {{{4}, 2}, {{3}, 2}}, 4)), Search::found);
}

TEST(Packing, provesThatThereIsNoWay) {
  EXPECT_EQ(solve(problem({{5}, {5}}, {{{4}, 1}, {{3}, 2}}, 3)), Search::impossible);
}

TEST(Packing, leavesOutWhatIsNotNeeded) {
  EXPECT_EQ(solve(problem({{4}}, {{{4}, 1}, {{2}, 2}}, 2)), Search::found);
  EXPECT_EQ(solve(problem({{4}}, {{{4}, 1}, {{2}, 2}}, 3)), Search::impossible);
}

TEST(Packing, saysWhenItsBudgetEnded) {
  const auto hard =
      problem({{7}, {7}, {7}, {7}, {7}}, {{{5}, 1}, {{4}, 4}, {{3}, 4}, {{2}, 1}}, 10);
  EXPECT_EQ(solve(hard, 3), Search::exhausted);
}

// Every item in every bin that may take it, or left out.
bool possible(const PackingProblem& asked) {
  std::vector<std::size_t> items;
  for (std::size_t k = 0; k < asked.kinds.size(); ++k) {
    items.insert(items.end(), asked.kinds[k].count, k);
  }
  auto free = asked.bins;
  auto missing = asked.needs;
  const std::function<bool(std::size_t)> from = [&](std::size_t i) -> bool {
    if (std::accumulate(missing.begin(), missing.end(), std::size_t{0}) == 0) return true;
    if (i == items.size()) return false;
    const auto& kind = asked.kinds[items[i]];
    for (std::size_t b = 0; b < free.size() && missing[kind.lot] > 0; ++b) {
      bool fits = kind.bins.test(b);
      for (std::size_t d = 0; d < kind.amounts.size(); ++d) {
        fits = fits && kind.amounts[d] <= free[b][d];
      }
      if (!fits) continue;
      for (std::size_t d = 0; d < kind.amounts.size(); ++d) free[b][d] -= kind.amounts[d];
      --missing[kind.lot];
      const bool found = from(i + 1);
      ++missing[kind.lot];
      for (std::size_t d = 0; d < kind.amounts.size(); ++d) free[b][d] += kind.amounts[d];
      if (found) return true;
    }
    return from(i + 1);
  };
  return from(0);
}

TEST(Packing, agreesWithTryingEverything) {
  for (std::uint64_t seed = 1; seed <= 4'000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    PackingProblem asked;
    const std::size_t dimensions = 1 + random.below(2);
    const std::size_t bins = 1 + random.below(4);
    for (std::size_t b = 0; b < bins; ++b) {
      Amounts free;
      for (std::size_t d = 0; d < dimensions; ++d) {
        free.push_back(static_cast<std::int64_t>(random.below(9)));
      }
      asked.bins.push_back(std::move(free));
    }
    const std::size_t lots = 1 + random.below(2);
    std::vector<std::size_t> members(lots, 0);
    for (std::size_t k = 0; k < 3; ++k) {
      PackingProblem::Kind kind{{}, random.below(4), random.below(lots), Bitset(bins)};
      for (std::size_t d = 0; d < dimensions; ++d) {
        kind.amounts.push_back(static_cast<std::int64_t>(random.below(6)));
      }
      for (std::size_t b = 0; b < bins; ++b) {
        if (random.below(5) > 0) kind.bins.set(b);
      }
      members[kind.lot] += kind.count;
      asked.kinds.push_back(std::move(kind));
    }
    for (const std::size_t count : members) asked.needs.push_back(random.below(count + 1));
    SearchBudget budget(1'000'000);
    Packing packing(asked, budget);
    const Search answer = packing.solve();
    ASSERT_EQ(answer, possible(asked) ? Search::found : Search::impossible);
    if (answer == Search::found) {
      ASSERT_EQ(problem_with(asked, packing), "");
    }
  }
}

// A solution is built, then hidden: what the bins hold is shuffled into counts of six kinds, and
// the bins get what they held plus a twentieth.
PackingProblem planted(std::uint64_t seed) {
  Random random(seed);
  PackingProblem made;
  for (int k = 0; k < 6; ++k) {
    made.kinds.push_back({{static_cast<std::int64_t>(1'000 * (1 + random.below(16))),
                           static_cast<std::int64_t>(1 + random.below(64)), 1},
                          0,
                          0,
                          Bitset(64)});
    made.kinds.back().bins.fill();
  }
  made.bins.assign(64, {0, 0, 0});
  for (std::size_t i = 0; i < 200; ++i) {
    auto& kind = made.kinds[random.below(6)];
    ++kind.count;
    // Every bin gets three, and eight of them a fourth.
    for (std::size_t d = 0; d < 3; ++d) made.bins[i % 64][d] += kind.amounts[d];
  }
  for (auto& bin : made.bins) {
    for (std::size_t d = 0; d < 2; ++d) bin[d] = bin[d] * 20 / 19;
    bin[2] = 110;
  }
  made.needs = {200};
  return made;
}

TEST(Packing, findsNearlyAllPlantedSolutions) {
  constexpr std::size_t kInstances = 100;
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= kInstances; ++seed) {
    const auto asked = planted(seed);
    SearchBudget budget(20'000'000);
    Packing packing(asked, budget);
    if (packing.solve() != Search::found) continue;
    ASSERT_EQ(problem_with(asked, packing), "");
    ++found;
  }
  EXPECT_GE(found, kInstances * 95 / 100) << found;
}

}  // namespace
}  // namespace tutti::core
