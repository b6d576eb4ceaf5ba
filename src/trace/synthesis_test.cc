#include "trace/synthesis.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tutti::trace {
namespace {

TEST(Synthesis, followsItsLaws) {
  const auto trace = make_jobs(
      "poisson:rate=3600,jobs=20000,gpus=1:0.6|8:0.3|16:0.1,duration=lognormal:600:1,queue=a:3|b",
      8);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const auto& jobs = trace->jobs;
  ASSERT_EQ(jobs.size(), 20'000U);
  EXPECT_NEAR(static_cast<double>(jobs.back().submit.count()) / 20'000, 1000, 30);  // one a second
  const auto share = [&](auto is) {
    return static_cast<double>(std::ranges::count_if(jobs, is)) / 20'000;
  };
  EXPECT_NEAR(share([](const Job& job) { return job.total_gpu_milli() == kGpu; }), 0.6, 0.02);
  EXPECT_NEAR(share([](const Job& job) { return job.replicas == 2; }), 0.1, 0.01);
  EXPECT_NEAR(share([](const Job& job) { return job.queue == "a"; }), 0.75, 0.02);
  const auto shorter = [](double than) {
    return
        [than](const Job& job) { return static_cast<double>(job.duration->count()) < than * 1000; };
  };
  EXPECT_NEAR(share(shorter(600)), 0.5, 0.02);
  EXPECT_NEAR(share(shorter(600 * 2.718281828)), 0.8413, 0.02);  // one deviation
}

TEST(Synthesis, isAFunctionOfItsSpec) {
  const auto of = [](const char* spec) { return make_jobs(spec, 8)->jobs.back().submit; };
  EXPECT_EQ(of("poisson:rate=10,jobs=9"), of("poisson:rate=10,jobs=9"));
  EXPECT_NE(of("poisson:rate=10,jobs=9"), of("poisson:rate=10,jobs=9,seed=1"));
}

TEST(Synthesis, saysWhatItDoesNotUnderstand) {
  struct Case {
    const char* spec;
    const char* problem;
  };
  const Case cases[] = {
      {"uniform:rate=1", "--synth: expected poisson:rate=JOBS/HOUR,…"},
      {"poisson:jobs=5", "--synth: expected rate=JOBS/HOUR"},
      {"poisson:rate=0", "--synth: rate: expected jobs per hour, found '0'"},
      {"poisson:rate=1,size=3",
       "--synth: there is no 'size'; there are rate, gpus, duration, queue, cpu, memory, model, "
       "jobs, seed, priority"},
      {"poisson:rate=1,gpus=x:1", "--synth: gpus: expected whole numbers, found 'x'"},
      {"poisson:rate=1,gpus=1:0", "--synth: gpus: expected a weight above 0"},
      {"poisson:rate=1,duration=normal:5",
       "--synth: duration: expected constant:S, uniform:FROM:TO, exponential:MEAN or "
       "lognormal:MEDIAN:SIGMA, found 'normal:5'"},
  };
  for (const Case& each : cases) {
    const auto trace = make_jobs(each.spec, 8);
    ASSERT_FALSE(trace.ok()) << each.spec;
    EXPECT_EQ(trace.error().message, each.problem);
  }
}

}  // namespace
}  // namespace tutti::trace
