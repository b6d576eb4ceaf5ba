#include "whatif/largest_that_works.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::whatif {
namespace {

TEST(Halving, findsTheLargestThatWorks) {
  for (int limit = -1; limit <= 12; ++limit) {
    SCOPED_TRACE(limit);
    int asked = 0;
    const auto works = [&](int number) {
      ++asked;
      return number <= limit;
    };
    const int expected = limit < 1 ? 0 : std::min(limit, 10);
    EXPECT_EQ(largest_that_works(1, 10, works), expected);
    EXPECT_LE(asked, 5);
  }
}

TEST(Halving, asksNothingOfAnEmptyRange) {
  const auto never = [](int) -> bool {
    ADD_FAILURE() << "nobody is to be asked";
    return true;
  };
  EXPECT_EQ(largest_that_works(1, 0, never), 0);
}

TEST(Halving, asksTheBoundFirst) {
  int asked = 0;
  const auto up_to = [&](int last) {
    return [&asked, last](int number) {
      ++asked;
      return number <= last;
    };
  };
  EXPECT_EQ(largest_up_to(1, 100, up_to(100)), 100);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(largest_up_to(1, 100, up_to(37)), 37);
  EXPECT_EQ(largest_up_to(1, 100, up_to(0)), 0);
  EXPECT_EQ(largest_up_to(1, 0, up_to(0)), 0);
}

}  // namespace
}  // namespace tutti::whatif
