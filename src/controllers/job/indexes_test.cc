#include "controllers/job/indexes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tutti::controllers {
namespace {

TEST(Indexes, areWrittenAsRangesOfAtLeastThree) {
  EXPECT_EQ(format_indexes({}), "");
  EXPECT_EQ(format_indexes({4}), "4");
  EXPECT_EQ(format_indexes({0, 1}), "0,1");
  EXPECT_EQ(format_indexes({0, 1, 2, 5, 7, 8, 9, 10}), "0-2,5,7-10");
}

TEST(Indexes, leaveOutWhatIsTooHighOrNoNumber) {
  EXPECT_EQ(parse_indexes("0-2,5,x,9-", 5), (Indexes{0, 1, 2}));
  EXPECT_EQ(parse_indexes("2-99999", 4), (Indexes{2, 3}));
}

RC_GTEST_PROP(Indexes, surviveBeingWrittenAndRead, ()) {
  const auto indexes = *rc::gen::container<Indexes>(rc::gen::inRange(0, 60));
  RC_ASSERT(parse_indexes(format_indexes(indexes), 60) == indexes);
}

}  // namespace
}  // namespace tutti::controllers
