#include "trace/changes.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Changes, keepWhatAFilterAccepts) {
  struct Case {
    const char* filter;
    const char* kept;
  };
  const Case cases[] = {{"queue=a", "0 2"},       {"queue!=a", "1"},       {"gpus>=8", "1 2"},
                        {"gpus<8", "0"},          {"queue=a,gpus>4", "2"}, {"team=red", "1"},
                        {"tier>=2", "2"},         {"id=job-0", "0"},       {"duration>30", ""},
                        {"duration<=30", "0 1 2"}};
  for (const Case& each : cases) {
    Trace trace = trace_of(3);
    trace.jobs[0].gpu_milli = 4 * kGpu;
    trace.jobs[1].gpu_milli = trace.jobs[2].gpu_milli = 8 * kGpu;
    trace.jobs[0].queue = trace.jobs[2].queue = "a";
    trace.jobs[1].labels = {{"team", "red"}};
    trace.jobs[2].labels = {{"tier", "2.5"}};
    Changes changes;
    changes.filter = *JobFilter::parse(each.filter);
    change(trace, changes);
    std::string kept;
    for (const Job& job : trace.jobs) kept += (kept.empty() ? "" : " ") + job.id.substr(4);
    EXPECT_EQ(kept, each.kept) << each.filter;
  }
}

TEST(Changes, refuseFiltersThatSayNothing) {
  struct Case {
    const char* filter;
    const char* problem;
  };
  const Case cases[] = {
      {"", "--filter: expected NAME=VALUE"},
      {"gpus", "--filter: 'gpus': expected NAME=VALUE, or another of != < <= > >="},
      {"=3", "--filter: '=3': expected NAME=VALUE, or another of != < <= > >="},
      {"gpus!3", "--filter: 'gpus!3': expected one of = != < <= > >="},
      {"gpus>many", "--filter: 'gpus>many': expected a number"},
      {"queue>a", "--filter: 'queue>a': text compares with = and != alone"},
  };
  for (const Case& each : cases) {
    const auto filter = JobFilter::parse(each.filter);
    ASSERT_FALSE(filter.ok()) << each.filter;
    EXPECT_EQ(filter.error().message, each.problem);
  }
}

TEST(Changes, repeatJobsUntilTheLoadIsReached) {
  Trace trace = trace_of(4);
  for (Job& job : trace.jobs) job.gpu_milli = kGpu;
  Changes changes;
  changes.repeat_until = 1500;  // of 6 GPUs
  changes.capacity.gpu_milli = 6 * kGpu;
  change(trace, changes);
  ASSERT_EQ(trace.jobs.size(), 9U);
  EXPECT_TRUE(std::ranges::is_sorted(trace.jobs, {}, &Job::submit));
  EXPECT_TRUE(trace.jobs[4].id.ends_with("~1"));
  EXPECT_FALSE(trace.jobs[4].observed_start.has_value());
  Trace again = trace_of(4);
  for (Job& job : again.jobs) job.gpu_milli = kGpu;
  change(again, changes);
  for (std::size_t i = 0; i < again.jobs.size(); ++i) EXPECT_EQ(again.jobs[i].id, trace.jobs[i].id);
}

TEST(Changes, putOtherJobsAtTheSameTimes) {
  struct Case {
    TraceOrder order;
    const char* ids;
  };
  const Case cases[] = {{TraceOrder::reverse, "2 1 0"}, {TraceOrder::size, "1 2 0"}};
  for (const Case& each : cases) {
    Trace trace = trace_of(3);
    trace.jobs[1].gpu_milli = 8 * kGpu;
    trace.jobs[2].gpu_milli = 4 * kGpu;
    Changes changes;
    changes.order = each.order;
    change(trace, changes);
    std::string ids;
    for (const Job& job : trace.jobs) ids += (ids.empty() ? "" : " ") + job.id.substr(4);
    EXPECT_EQ(ids, each.ids);
    EXPECT_EQ(trace.jobs[1].submit, seconds(10));
  }
  Trace shuffled = trace_of(50);
  Changes changes;
  changes.order = TraceOrder::shuffle;
  change(shuffled, changes);
  EXPECT_FALSE(std::ranges::is_sorted(shuffled.jobs, {}, &Job::id));
  EXPECT_TRUE(std::ranges::is_sorted(shuffled.jobs, {}, &Job::submit));
}

TEST(Changes, makeEstimatesExactOrLetNobodyLeave) {
  Trace trace = trace_of(2);
  Changes changes;
  changes.exact_estimates = true;
  change(trace, changes);
  EXPECT_EQ(trace.jobs[0].limit, seconds(30));
  changes.no_departures = true;
  change(trace, changes);
  EXPECT_FALSE(trace.jobs[0].duration.has_value());
}

}  // namespace
}  // namespace tutti::trace
