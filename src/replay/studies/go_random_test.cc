#include "replay/studies/go_random.h"

#include <gtest/gtest.h>

namespace tutti::replay {
namespace {

TEST(GoRandom, drawsWhatGoDraws) {
  GoRandom one(1);
  for (const int expected : {81, 87, 47, 59, 81, 18, 25, 40, 56, 0}) {
    EXPECT_EQ(one.below(100), expected);
  }
  GoRandom other(42);
  other.int63();
  EXPECT_EQ(other.int63(), 608747136543856411);
  EXPECT_EQ(other.int63(), 5571782338101878760);
  EXPECT_EQ(other.int63(), 1926012586526624009);
}

TEST(GoRandom, permutesAndShufflesAsGoDoes) {
  EXPECT_EQ(GoRandom(7).permutation(10),
            (std::vector<std::uint32_t>{2, 0, 5, 3, 1, 6, 9, 8, 4, 7}));
  std::vector<std::uint32_t> items = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  GoRandom(7).shuffle(items);
  EXPECT_EQ(items, (std::vector<std::uint32_t>{8, 5, 3, 7, 0, 4, 6, 1, 2, 9}));
}

}  // namespace
}  // namespace tutti::replay
