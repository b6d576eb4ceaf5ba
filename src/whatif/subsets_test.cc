#include "whatif/subsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace tutti::whatif {
namespace {

using Set = std::vector<int>;

Set up_to(int count) {
  Set all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

bool has_all(const Set& set, const Set& needed) {
  return std::ranges::all_of(needed, [&](int one) { return std::ranges::count(set, one) > 0; });
}

TEST(Subsets, leaveOutWhoeverIsNotNeeded) {
  const Set cases[] = {{1}, {12}, {5}, {1, 12}, {2, 3, 11}, up_to(12)};
  for (const Set& needed : cases) {
    SCOPED_TRACE(needed.front());
    const auto works = [&](const Set& set) { return has_all(set, needed); };
    EXPECT_EQ(as_few_as_work(up_to(12), 1000, works), needed);
  }
}

TEST(Subsets, findOneOfManyWithFewQuestions) {
  int asked = 0;
  const auto works = [&](const Set& set) {
    ++asked;
    return has_all(set, {200});
  };
  EXPECT_EQ(as_few_as_work(up_to(256), 1000, works), Set{200});
  EXPECT_LE(asked, 20);
}

TEST(Subsets, stillWorkWhenTheQuestionsAreUsedUp) {
  int asked = 0;
  const auto works = [&](const Set& set) {
    ++asked;
    return has_all(set, {3, 100});
  };
  EXPECT_TRUE(has_all(as_few_as_work(up_to(256), 5, works), {3, 100}));
  EXPECT_EQ(asked, 5);
}

TEST(Subsets, areNeverEmpty) {
  const auto always = [](const Set& set) {
    EXPECT_FALSE(set.empty());
    return true;
  };
  EXPECT_EQ(as_few_as_work(up_to(3), 1000, always).size(), 1U);
}

std::vector<Set> sufficient(const Set& all, const std::function<bool(const Set&)>& works) {
  std::vector<Set> found;
  for_each_sufficient(all, 4, 100, works, [&](const Set& set) { found.push_back(set); });
  return found;
}

TEST(Subsets, nameEveryoneWhoSufficesAloneOfAFew) {
  const auto odd = [](const Set& set) {
    return std::ranges::any_of(set, [](int one) { return one % 2 == 1; });
  };
  EXPECT_EQ(sufficient(up_to(4), odd), (std::vector<Set>{{1}, {3}}));
  EXPECT_EQ(sufficient(up_to(5), odd).size(), 1U);
}

TEST(Subsets, nameTheSmallestWhereNobodySufficesAlone) {
  const auto both = [](const Set& set) { return has_all(set, {2, 3}); };
  EXPECT_EQ(sufficient(up_to(4), both), (std::vector<Set>{{2, 3}}));
}

TEST(Subsets, askOnceWhereNothingHelps) {
  int asked = 0;
  const auto never = [&](const Set&) {
    ++asked;
    return false;
  };
  EXPECT_TRUE(sufficient(up_to(100), never).empty());
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace tutti::whatif
