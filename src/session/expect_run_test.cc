#include "session/expect_run.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tutti::session {
namespace {

using namespace std::chrono_literals;

expect::Expectation expectation(std::uint32_t line, std::optional<Millis> at) {
  expect::Expectation out;
  out.line = line;
  out.at = at;
  return out;
}

// A world that only knows how late it is, and judges nothing but that.
class ExpectRunTest : public testing::Test {
 protected:
  ExpectRun run_{[this](std::optional<Millis> until) {
                   now_ = until.value_or(1h);
                   return now_ <= working_until_;
                 },
                 [this](const expect::Expectation& each) {
                   return std::vector<expect::Failure>{{each.line, format_duration(now_)}};
                 }};
  Millis now_{0};
  Millis working_until_ = 24h;
};

TEST_F(ExpectRunTest, checksEachExpectationAtItsInstantAndTheRestAtTheEnd) {
  const auto failures = run_({expectation(1, 30s), expectation(2, {}), expectation(3, 5s)}, {});

  ASSERT_TRUE(failures);
  ASSERT_EQ(failures->size(), 3U);
  EXPECT_EQ((*failures)[0].message, "30s");
  EXPECT_EQ((*failures)[1].message, "1h0m0s");
  EXPECT_EQ((*failures)[2].message, "5s");
}

TEST_F(ExpectRunTest, checksInstantsBeyondTheEndAtTheEnd) {
  const auto failures = run_({expectation(1, 2h)}, 10s);

  ASSERT_TRUE(failures);
  ASSERT_EQ(failures->size(), 1U);
  EXPECT_EQ(failures->front().message, "10s");
}

TEST_F(ExpectRunTest, stopsWhenTheWorldCannotGoOn) {
  working_until_ = 1s;

  EXPECT_FALSE(run_({expectation(1, 30s)}, {}));
}

}  // namespace
}  // namespace tutti::session
