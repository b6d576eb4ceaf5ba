#include "daemon/writes/call_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::daemon {
namespace {

TEST(CallQueue, startsJobsInOrderAndNoMoreThanItIsWide) {
  CallQueue lane(2);
  std::vector<int> started;
  std::vector<CallQueue::Done> ends;
  for (int i = 0; i < 4; ++i) {
    lane.add([&, i](CallQueue::Done done) {
      started.push_back(i);
      ends.push_back(std::move(done));
    });
  }
  EXPECT_EQ(started, (std::vector<int>{0, 1}));
  EXPECT_EQ(lane.waiting(), 2U);
  ends[1]();
  EXPECT_EQ(started, (std::vector<int>{0, 1, 2}));
  ends[0]();
  ends[2]();
  ends[3]();
  EXPECT_EQ(started, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(lane.idle());
}

TEST(CallQueue, startsMoreWhenWidenedAndFewerWhenNarrowed) {
  CallQueue lane(1);
  std::vector<CallQueue::Done> ends;
  for (int i = 0; i < 6; ++i)
    lane.add([&](CallQueue::Done done) { ends.push_back(std::move(done)); });
  EXPECT_EQ(lane.under_way(), 1U);
  lane.set_width(3);
  EXPECT_EQ(lane.under_way(), 3U);
  lane.set_width(2);
  ends[0]();
  EXPECT_EQ(lane.under_way(), 2U) << "one ended, none began";
  ends[1]();
  EXPECT_EQ(ends.size(), 4U);
}

}  // namespace
}  // namespace tutti::daemon
