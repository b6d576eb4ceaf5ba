#include "controllers/disruption/allowance.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::controllers {
namespace {

using Bound = model::CountOrPercent;

struct Case {
  const char* says;
  std::optional<Bound> min_available;
  std::optional<Bound> max_unavailable;
  Guarded guarded;
  Allowance expected;
};

TEST(DisruptionAllowance, followsTheBoundOfTheBudget) {
  const Bound one{1, false};
  const Bound two{2, false};
  const Bound none{0, false};
  const Bound half{50, true};
  const Bound all{100, true};
  const std::vector<Case> cases = {
      {"two stay of five", two, {}, {5, 5, 0}, {3, 2, 5}},
      {"only the healthy may go", two, {}, {5, 3, 0}, {1, 2, 5}},
      {"already below the minimum", two, {}, {5, 1, 0}, {0, 2, 5}},
      {"a minimum of nothing", none, {}, {3, 2, 0}, {2, 0, 3}},
      {"no pods at all", two, {}, {0, 0, 0}, {0, 2, 0}},
      {"half of five is three", half, {}, {5, 5, 5}, {2, 3, 5}},
      {"replicas that are still missing count", half, {}, {3, 3, 6}, {0, 3, 6}},
      {"nobody may go", all, {}, {4, 4, 4}, {0, 4, 4}},
      {"one may be missing", {}, one, {4, 4, 4}, {1, 3, 4}},
      {"one is missing already", {}, one, {4, 3, 4}, {0, 3, 4}},
      {"half may be missing, rounded up", {}, half, {5, 5, 5}, {3, 2, 5}},
      {"pods that nothing manages", {}, one, {4, 4, 0}, {0, 0, 0}},
      {"the same with a count of those to stay", two, {}, {4, 4, 0}, {2, 2, 4}},
      {"a manager without replicas", {}, one, {4, 4, std::nullopt}, {0, 0, 0}},
      {"which a count does not ask about", two, {}, {4, 4, std::nullopt}, {2, 2, 4}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.says);
    model::PodDisruptionBudget budget;
    budget.min_available = c.min_available;
    budget.max_unavailable = c.max_unavailable;
    EXPECT_EQ(allowance(budget, c.guarded), c.expected);
  }
}

}  // namespace
}  // namespace tutti::controllers
