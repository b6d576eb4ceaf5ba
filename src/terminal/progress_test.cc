#include "terminal/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace tutti::terminal {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, saysHowMuchWasRead) {
  EXPECT_EQ(reading_line(1), "reading manifests: 1 object");
  EXPECT_EQ(reading_line(999), "reading manifests: 999 objects");
  EXPECT_EQ(reading_line(12'000), "reading manifests: 12,000 objects");
  EXPECT_EQ(reading_line(1'234'567), "reading manifests: 1,234,567 objects");
}

TEST(ProgressLine, saysHowFarTheRunIs) {
  EXPECT_EQ(running_line(2h + 3min + 20s + 5ms, 12'345, 50'000),
            "virtual time 2h3m20s, 12,345 of 50,000 pods placed");
  EXPECT_EQ(running_line(0s, 0, 1), "virtual time 0s, 0 of 1 pod placed");
}

class ProgressTest : public testing::Test {
 protected:
  // What the terminal got since it was last asked.
  std::string written() {
    std::string text = terminal_.str();
    terminal_.str("");
    return text;
  }
  void show(const std::string& text) {
    progress_.show([&] { return text; });
  }

  std::ostringstream terminal_;
  Millis now_{0};
  Progress progress_{terminal_, [this] { return now_; }};
};

TEST_F(ProgressTest, showsNothingInTheFirstSecond) {
  now_ = 999ms;
  show("a");
  EXPECT_EQ(written(), "");
  now_ = 1s;
  show("b");
  EXPECT_EQ(written(), "\r\x1b[Kb");
}

TEST_F(ProgressTest, changesTheLineNoMoreThanFiveTimesPerSecond) {
  now_ = 2s;
  show("a");
  now_ += 199ms;
  show("b");
  EXPECT_EQ(written(), "\r\x1b[Ka");
  now_ += 1ms;
  show("c");
  EXPECT_EQ(written(), "\r\x1b[Kc");
}

TEST_F(ProgressTest, erasesTheLineOnceAndOnlyIfThereIsOne) {
  progress_.erase();
  EXPECT_EQ(written(), "");
  now_ = 2s;
  show("a");
  progress_.erase();
  progress_.erase();
  EXPECT_EQ(written(), "\r\x1b[Ka\r\x1b[K");
}

TEST(Progress, isSilentWithoutAStopwatch) {
  std::ostringstream terminal;
  Progress progress(terminal, nullptr);
  progress.show([]() -> std::string { return "never"; });
  progress.erase();
  EXPECT_TRUE(progress.silent());
  EXPECT_EQ(terminal.str(), "");
}

TEST(Progress, leavesNoLineBehind) {
  std::ostringstream terminal;
  {
    Progress progress(terminal, [] { return Millis(5000); });
    progress.show([] { return std::string("a"); });
  }
  EXPECT_EQ(terminal.str(), "\r\x1b[Ka\r\x1b[K");
}

}  // namespace
}  // namespace tutti::terminal
