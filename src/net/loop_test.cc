#include "net/loop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::net {
namespace {

TEST(Loop, runsPostedTasksInOrderAndThenReturns) {
  Loop loop;
  std::string order;
  loop.post([&] { order += 'a'; });
  loop.post([&] {
    order += 'b';
    loop.post([&] { order += 'c'; });
  });
  loop.run();
  EXPECT_EQ(order, "abc");
}

TEST(Loop, runsTimersInTheOrderOfTheirDelays) {
  Loop loop;
  std::string order;
  const Timer late = loop.after(Millis{20}, [&] { order += 'l'; });
  const Timer soon = loop.after(Millis{1}, [&] { order += 's'; });
  loop.run();
  EXPECT_EQ(order, "sl");
  EXPECT_FALSE(late.pending());
}

TEST(Loop, forgetsACancelledTimer) {
  Loop loop;
  bool ran = false;
  Timer cancelled = loop.after(Millis{1}, [&] { ran = true; });
  Timer replaced = loop.after(Millis{1}, [&] { ran = true; });
  {
    const Timer destroyed = loop.after(Millis{1}, [&] { ran = true; });
  }
  EXPECT_TRUE(cancelled.pending());
  cancelled.cancel();
  replaced = Timer();
  loop.run();
  EXPECT_FALSE(cancelled.pending());
  EXPECT_FALSE(ran);
}

TEST(Loop, forgetsATimerThatWasDueWhenAnotherTaskCancelsItFirst) {
  Loop loop;
  bool ran = false;
  Timer second;
  const Timer first = loop.after(Millis{0}, [&] { second.cancel(); });
  second = loop.after(Millis{0}, [&] { ran = true; });
  loop.run();
  EXPECT_FALSE(ran);
}

TEST(Loop, letsATaskReplaceItsOwnTimer) {
  Loop loop;
  int ticks = 0;
  Timer timer;
  Task tick = [&] {
    EXPECT_FALSE(timer.pending());
    if (++ticks < 3) timer = loop.after(Millis{0}, tick);
  };
  timer = loop.after(Millis{0}, tick);
  loop.run();
  EXPECT_EQ(ticks, 3);
}

TEST(Loop, mayEndBeforeItsTimers) {
  auto loop = std::make_unique<Loop>();
  const auto witness = std::make_shared<int>(0);
  Timer timer = loop->after(Millis{60'000}, [witness] {});
  loop.reset();
  EXPECT_FALSE(timer.pending());
  EXPECT_EQ(witness.use_count(), 1);
  timer.cancel();
}

TEST(Loop, stopsAndRunsAgain) {
  Loop loop;
  int ran = 0;
  loop.post([&] {
    ++ran;
    loop.stop();
  });
  loop.post([&] { ++ran; });
  loop.run();
  EXPECT_EQ(ran, 1);
  loop.run();
  EXPECT_EQ(ran, 2);
}

TEST(Loop, remembersAStopThatCameBeforeTheRun) {
  Loop loop;
  bool ran = false;
  loop.post([&] { ran = true; });
  loop.stop();
  loop.run();
  EXPECT_FALSE(ran);
}

TEST(Loop, takesWorkFromAnotherThread) {
  Loop loop;
  const Timer keeps_the_loop_alive = loop.after(Millis{60'000}, [] {});
  std::thread other([&] { loop.post([&] { loop.stop(); }); });
  loop.run();
  other.join();
  EXPECT_TRUE(keeps_the_loop_alive.pending());
}

TEST(Loop, reportsEveryStopSignal) {
  Loop loop;
  std::vector<int> seen;
  loop.on_stop_signal([&] {
    seen.push_back(1);
    if (seen.size() == 2) return loop.stop();
    std::raise(SIGINT);
  });
  loop.post([] { std::raise(SIGTERM); });
  loop.run();
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace tutti::net
