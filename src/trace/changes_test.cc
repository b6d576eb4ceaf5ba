#include "trace/changes.h"

#include <gtest/gtest.h>

namespace tutti::trace {
namespace {

using std::chrono::seconds;

Trace trace_of(int jobs) {
  Trace trace;
  for (int i = 0; i < jobs; ++i) {
    Job& job = trace.jobs.emplace_back();
    job.id = "job-" + std::to_string(i);
    job.submit = seconds(10 * i);
    job.duration = seconds(30);
    job.limit = seconds(60);
    job.observed_start = seconds(10 * i + 1);
  }
  return trace;
}

TEST(Changes, leaveATraceAloneWhenNothingIsAsked) {
  Trace trace = trace_of(3);
  trace.jobs.erase(trace.jobs.begin());
  change(trace, {});
  EXPECT_EQ(trace.jobs[0].submit, seconds(10));
  EXPECT_TRUE(trace.changes.empty());
}

TEST(Changes, keepAWindowAndStartItAtZero) {
  Trace trace = trace_of(10);
  Changes changes;
  changes.from = seconds(20);
  changes.to = seconds(50);
  change(trace, changes);
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].id, "job-2");
  EXPECT_EQ(trace.jobs[0].submit, seconds(0));
  EXPECT_EQ(trace.jobs[0].observed_start, seconds(1));
  EXPECT_EQ(trace.changes, (std::vector<std::string>{"window of submits: 3 of 10 jobs"}));
}

TEST(Changes, scaleLoadAndDurations) {
  Trace trace = trace_of(3);
  Changes changes;
  changes.load = 2000;
  changes.duration = 1500;
  change(trace, changes);
  EXPECT_EQ(trace.jobs[2].submit, seconds(10));
  EXPECT_EQ(trace.jobs[2].duration, seconds(45));
  EXPECT_EQ(trace.jobs[2].limit, seconds(90));
  EXPECT_FALSE(trace.jobs[2].observed_start.has_value());
  EXPECT_EQ(trace.changes,
            (std::vector<std::string>{"load times 2", "durations and limits times 1.5"}));
}

TEST(Changes, sampleTheSameJobsEachTime) {
  Trace once = trace_of(10'000);
  Trace again = trace_of(10'000);
  Changes changes;
  changes.sample = 250;
  change(once, changes);
  change(again, changes);
  EXPECT_NEAR(static_cast<double>(once.jobs.size()), 2500, 200);
  ASSERT_EQ(once.jobs.size(), again.jobs.size());
  EXPECT_EQ(once.jobs.back().id, again.jobs.back().id);
}

}  // namespace
}  // namespace tutti::trace
