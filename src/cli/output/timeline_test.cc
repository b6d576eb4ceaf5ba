#include "cli/output/timeline.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tutti::cli {
namespace {

TEST(Timeline, writesADecisionAsOneLineOfJson) {
  const Instant start{std::chrono::hours(5)};
  const core::Decision decision{.at = start + std::chrono::seconds(90),
                                .kind = core::Decision::Kind::placed,
                                .entity = "PodGroup t/g",
                                .bindings = {{"t/b", "n2"}, {"t/a", "n1"}},
                                .message = "says \"go\"",
                                .attempt = 2};

  EXPECT_EQ(
      timeline_line(decision, start),
      R"({"at":"1m30s","seconds":90.000,"decision":"placed","entity":"PodGroup t/g","attempt":2,)"
      R"("bindings":{"t/b":"n2","t/a":"n1"},"message":"says \"go\""})");
}

TEST(Timeline, callsThoseWhoLeaveVictims) {
  const Instant start{std::chrono::hours(5)};
  const core::Decision decision{.at = start + std::chrono::milliseconds(50),
                                .kind = core::Decision::Kind::preempting,
                                .entity = "Pod t/urgent",
                                .bindings = {{"t/a", "n1"}},
                                .message = "",
                                .attempt = 1};

  EXPECT_EQ(timeline_line(decision, start),
            R"({"at":"50ms","seconds":0.050,"decision":"preempting","entity":"Pod t/urgent",)"
            R"("attempt":1,"victims":{"t/a":"n1"},"message":""})");
}

TEST(Timeline, saysByWhichRuleARequestLeavesAndForWhom) {
  const Instant start{std::chrono::hours(5)};
  const core::Decision decision{.at = start,
                                .kind = core::Decision::Kind::evicted,
                                .entity = "Workload t/low",
                                .bindings = {},
                                .message = "m",
                                .attempt = 3,
                                .rule = "InClusterQueue",
                                .by = "t/high"};

  EXPECT_EQ(timeline_line(decision, start),
            R"({"at":"0s","seconds":0.000,"decision":"evicted","entity":"Workload t/low",)"
            R"("attempt":3,"bindings":{},"message":"m","rule":"InClusterQueue","by":"t/high"})");
}

}  // namespace
}  // namespace tutti::cli
