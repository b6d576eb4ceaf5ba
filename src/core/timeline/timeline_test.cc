#include "core/timeline/timeline.h"

#include <gtest/gtest.h>

namespace tutti::core {
namespace {

using namespace std::chrono_literals;

constexpr Instant second(std::int64_t n) { return Instant{std::chrono::seconds(n)}; }

TEST(Timeline, putsEndsInOrder) {
  Timeline times;
  times.put({.request = "late"}, {second(0), 100s, true});
  times.put({.request = "soon"}, {second(10), 20s, false});
  times.put({.request = "never"}, {second(0), std::nullopt, false});
  ASSERT_EQ(times.ends().size(), 2U);
  EXPECT_EQ(times.ends().begin()->who.request, "soon");
  EXPECT_EQ(times.ends().begin()->at, second(30));
  EXPECT_TRUE(times.is_certain({.request = "late"}));
  EXPECT_FALSE(times.is_certain({.request = "soon"}));
}

TEST(Timeline, givesWhoStaysATenthMoreAndAtLeastAMinute) {
  Timeline times;
  times.put({.request = "short"}, {second(0), 100s, true});
  times.put({.request = "long"}, {second(0), 3600s, true});
  times.advance(second(100));
  EXPECT_EQ(times.ends().begin()->at, second(100)) << "it may end this very moment";
  times.advance(second(101));
  EXPECT_EQ(times.ends().begin()->at, second(160));
  EXPECT_FALSE(times.is_certain({.request = "short"}));
  times.advance(second(3601));
  EXPECT_EQ(times.ends().rbegin()->at, second(3960));
}

TEST(Timeline, isTheSameBuiltAnew) {
  Timeline kept;
  kept.put({.request = "a"}, {second(0), 100s, true});
  kept.put({.pod = PodId{3}}, {second(5), 50s, false});
  for (int at : {10, 90, 130, 170, 400, 900}) kept.advance(second(at));
  Timeline anew;
  anew.advance(second(900));
  anew.put({.request = "a"}, {second(0), 100s, true});
  anew.put({.pod = PodId{3}}, {second(5), 50s, false});
  EXPECT_EQ(kept.difference(anew), "");
  anew.put({.request = "a"}, {second(1), 100s, true});
  EXPECT_NE(kept.difference(anew), "");
}

TEST(Timeline, tellsWhoEndsEarly) {
  Timeline times;
  times.put({.request = "a"}, {second(0), 100s, true});
  times.put({.request = "b"}, {second(0), 50s, true});
  times.put({.request = "endless"}, {second(0), std::nullopt, false});
  times.advance(second(50));
  EXPECT_FALSE(times.remove({.request = "b"}));
  EXPECT_TRUE(times.remove({.request = "a"}));
  EXPECT_TRUE(times.remove({.request = "endless"}));
  EXPECT_FALSE(times.remove({.request = "nobody"}));
}

}  // namespace
}  // namespace tutti::core
