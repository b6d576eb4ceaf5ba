#include "controllers/job/indexes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace tutti::controllers {
namespace {

TEST(Indexes, areWrittenAsRangesOfAtLeastThree) {
  EXPECT_EQ(format_indexes(Indexes{}), "");
  EXPECT_EQ(format_indexes(Indexes{4}), "4");
  EXPECT_EQ(format_indexes(Indexes{0, 1}), "0,1");
  EXPECT_EQ(format_indexes(Indexes{0, 1, 2, 5, 7, 8, 9, 10}), "0-2,5,7-10");
}

TEST(Indexes, leaveOutWhatIsTooHighOrNoNumber) {
  EXPECT_EQ(parse_indexes("0-2,5,x,9-", 5), (Indexes{0, 1, 2}));
  EXPECT_EQ(parse_indexes("2-99999", 4), (Indexes{2, 3}));
}

TEST(Indexes, areReadInNoTimeHoweverManyThereAre) {
  const Indexes many = parse_indexes("0-1999999999,2000000003", 2'147'483'647);
  EXPECT_EQ(many.size(), 2'000'000'001U);
  EXPECT_EQ(many.first_missing(0), 2'000'000'000);
  EXPECT_EQ(many.first_missing(2'000'000'003), 2'000'000'004);
}

RC_GTEST_PROP(Indexes, surviveBeingWrittenAndRead, ()) {
  const auto expected = *rc::gen::container<std::vector<std::int32_t>>(rc::gen::inRange(0, 60));
  const std::set<std::int32_t> sorted(expected.begin(), expected.end());
  Indexes indexes;
  for (const std::int32_t index : expected) indexes.insert(index);
  RC_ASSERT(indexes.size() == sorted.size());
  RC_ASSERT(parse_indexes(format_indexes(indexes), 60) == indexes);
  for (std::int32_t index = 0; index < 60; ++index) {
    RC_ASSERT((indexes.first_missing(index) == index) == !sorted.contains(index));
  }
}

}  // namespace
}  // namespace tutti::controllers
