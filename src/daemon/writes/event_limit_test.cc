#include "daemon/writes/event_limit.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tutti::daemon {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Instant kStart{Millis{1'000'000}};

TEST(EventLimit, takesNumbersOut) {
  EXPECT_EQ(without_numbers("2 of 13 nodes, 1500m"), "# of # nodes, #m");
  EXPECT_EQ(without_numbers(""), "");
  EXPECT_EQ(without_numbers("n#1"), "n#");
}

TEST(EventLimit, holdsBackWhatDiffersInNumbersOnly) {
  EventLimit limit;
  EXPECT_TRUE(limit.allows("a", "3 fit", kStart));
  EXPECT_FALSE(limit.allows("a", "4 fit", kStart + seconds(299)));
  EXPECT_TRUE(limit.allows("a", "5 fit", kStart + minutes(5)));
  EXPECT_TRUE(limit.allows("b", "3 fit", kStart)) << "another object";
}

TEST(EventLimit, letsNewsThroughUntilTheyAreTooMany) {
  EventLimit limit;
  for (const char* note : {"a", "b", "c", "d", "e"}) {
    EXPECT_TRUE(limit.allows("x", note, kStart)) << note;
  }
  EXPECT_FALSE(limit.allows("x", "f", kStart + seconds(119)));
  EXPECT_TRUE(limit.allows("x", "f", kStart + minutes(2)));
  EXPECT_FALSE(limit.allows("x", "g", kStart + minutes(3)));
  EXPECT_TRUE(limit.allows("x", "g", kStart + minutes(4)));
}

TEST(EventLimit, forgetsObjectsThatAreQuiet) {
  EventLimit limit;
  limit.allows("x", "a", kStart);
  limit.allows("y", "a", kStart + minutes(10));
  limit.forget_old(kStart + minutes(16));
  EXPECT_EQ(limit.size(), 1U);
}

}  // namespace
}  // namespace tutti::daemon
