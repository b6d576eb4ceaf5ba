#include "controllers/job/backoff.h"

#include <gtest/gtest.h>

namespace tutti::controllers {
namespace {

using std::chrono::seconds;

Instant at(int second) { return Instant{} + seconds(second); }

TEST(Backoff, doublesWithEachFailureUpToTenMinutes) {
  Backoff backoff;
  EXPECT_EQ(backoff.until(), std::nullopt);
  const int waits[] = {10, 20, 40, 80, 160, 320, 600, 600};
  for (const int wait : waits) {
    backoff.take({}, {at(1000)});
    EXPECT_EQ(backoff.until(), at(1000 + wait));
  }
}

TEST(Backoff, startsAnewAfterASuccess) {
  Backoff backoff;
  backoff.take({}, {at(1), at(2), at(3)});
  backoff.take({at(5)}, {at(4), at(6)});
  EXPECT_EQ(backoff.failures, 1);
  EXPECT_EQ(backoff.until(), at(16));
  backoff.take({at(7)}, {});
  EXPECT_EQ(backoff.until(), std::nullopt);
}

}  // namespace
}  // namespace tutti::controllers
