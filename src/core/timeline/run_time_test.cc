#include "core/timeline/run_time.h"

#include <gtest/gtest.h>

#include "support/quota_build.h"

namespace tutti::core {
namespace {

using namespace std::chrono_literals;
using test::request;

// `deadline` of the pods, in seconds; 0: none.
model::AdmissionRequest asked(std::int64_t deadline, std::int64_t grace,
                              model::Labels of_pods = {}) {
  model::AdmissionRequest made = *request("r").pods(2, "cpu", "1").build();
  auto spec = std::make_shared<model::PodSpec>(*made.spec.pod_sets[0].pods.spec);
  if (deadline > 0) spec->active_deadline_seconds = deadline;
  spec->termination_grace_seconds = grace;
  made.spec.pod_sets[0].pods.spec = spec;
  made.spec.pod_sets[0].pods.annotations = std::move(of_pods);
  return made;
}

TEST(RunTime, takesTheSmallestBoundWithItsGrace) {
  EXPECT_EQ(run_time_of(asked(60, 5)).longest(), 65s);
  EXPECT_EQ(run_time_of(asked(60, 5, {{"tutti.dev/runs-for", "40s"}})).longest(), 40s);
  model::AdmissionRequest made = asked(60, 5);
  made.spec.max_execution_seconds = 50;
  made.status.past_execution_seconds = 20;
  EXPECT_EQ(run_time_of(made).longest(), 35s);
  made.meta.annotations = {{std::string(kActiveDeadline), "10s"}};
  EXPECT_EQ(run_time_of(made).longest(), 15s);
  EXPECT_EQ(run_time_of(asked(0, 5)).longest(), std::nullopt);
}

TEST(RunTime, countsPodsThatRunOneAfterAnother) {
  model::AdmissionRequest made = asked(60, 0);
  made.meta.annotations = {{std::string(kRounds), "3"}};
  EXPECT_EQ(run_time_of(made).longest(), 180s);
}

TEST(RunTime, keepsEstimatesApartFromBounds) {
  model::AdmissionRequest made = asked(0, 0, {{std::string(kExpectedRuntime), "7m"}});
  EXPECT_EQ(run_time_of(made).longest(), std::nullopt);
  EXPECT_EQ(run_time_of(made, 1h).estimate, 7min);
  EXPECT_EQ(run_time_of(asked(0, 0), 1h).estimate, 1h);
  EXPECT_FALSE(run_time_of(made).yields);
  made.meta.annotations = {{std::string(kExpectedRuntime), "5m"}, {std::string(kYield), "true"}};
  EXPECT_EQ(run_time_of(made).estimate, 5min);
  EXPECT_TRUE(run_time_of(made).yields);
}

TEST(RunTime, heedsNoWordsThatAreNoDurations) {
  for (const char* bad : {"", "soon", "-5m", "0s", "5"}) {
    EXPECT_EQ(run_time_of(asked(0, 0, {{std::string(kExpectedRuntime), bad}})).estimate,
              std::nullopt)
        << bad;
  }
}

}  // namespace
}  // namespace tutti::core
