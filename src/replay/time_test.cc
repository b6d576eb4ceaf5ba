// Checkpoints, failures and slow places, with waits and ends that are worked out by hand.
#include <gtest/gtest.h>

#include "replay/simulation.h"
#include "trace/read.h"
#include "trace/topology.h"

namespace tutti::replay {
namespace {

struct Timed {
  std::vector<JobOutcome> outcomes;
  Measures measures;
};

struct World {
  std::string jobs;
  std::string nodes;  // CSV
  std::string policy = "default";
  std::shared_ptr<const SlowdownModel> slowdown = {};
  FailureModel failures = {};
  std::optional<Millis> until = {};
};

Timed play_in(const World& world) {
  auto trace = trace::read_trace({{"jobs.csv", world.jobs}}, {});
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  auto nodes = trace::read_nodes({{"nodes.csv", world.nodes}}, {});
  EXPECT_TRUE(nodes.ok()) << nodes.error().message;
  Timed timed;
  SimulationOptions options;
  options.policies = {*parse_policy(world.policy)};
  options.slowdown = world.slowdown;
  options.failures = world.failures;
  options.until = world.until;
  options.finished = [&](const Policy&, std::int64_t, std::span<const JobOutcome> outcomes) {
    timed.outcomes.assign(outcomes.begin(), outcomes.end());
    return ok_status();
  };
  const auto result = simulate(*trace, *nodes, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  if (result.ok()) timed.measures = result->runs.front().measures;
  return timed;
}

double end_of(const Timed& timed, std::size_t job) {
  const auto& end = timed.outcomes.at(job).end;
  return end ? static_cast<double>(end->count()) / 1000 : -1;
}

double start_of(const Timed& timed, std::size_t job) {
  const auto& start = timed.outcomes.at(job).first_start;
  return start ? static_cast<double>(start->count()) / 1000 : -1;
}

constexpr double kGpuHour = 3600;  // GPU-seconds

TEST(Time, checkpointsTakeTimeInWhichNoWorkIsDone) {
  // 100 s of work, a checkpoint of 5 s after every 30 s: at 30, 65, 100; done at 115.
  const Timed timed =
      play_in({"id,submit,duration,gpu,checkpoint_every,checkpoint_cost\n"
               "a,0,100,1,30,5\n",
               "name,gpu\nn,1\n"});
  EXPECT_EQ(end_of(timed, 0), 115);
  EXPECT_NEAR(timed.measures.gpu_hours_overhead * kGpuHour, 15, 1e-9);
  EXPECT_NEAR(timed.measures.gpu_hours_useful * kGpuHour, 100, 1e-9);
}

TEST(Time, aPreemptedJobGoesOnFromItsLastCheckpoint) {
  // low works 0-30, writes 30-35, works 35-50: 15 s are lost. high runs 50-70. low then spends 10 s
  // on its restart and has 70 s of work and two checkpoints before it: 70 + 10 + 70 + 10 = 160.
  const Timed timed =
      play_in({"id,submit,duration,gpu,priority,checkpoint_every,checkpoint_cost,restart_cost\n"
               "low,0,100,1,0,30,5,10\n"
               "high,50,20,1,9,,,\n",
               "name,gpu\nn,1\n", "order=priority,preempt=priority"});
  EXPECT_EQ(start_of(timed, 1), 50);
  EXPECT_EQ(end_of(timed, 0), 160);
  EXPECT_EQ(timed.outcomes[0].attempts, 2);
  EXPECT_NEAR(timed.measures.gpu_hours_lost * kGpuHour, 15, 1e-9);
  EXPECT_NEAR(timed.measures.gpu_hours_overhead * kGpuHour, 5 + 10 + 10, 1e-9);
  EXPECT_EQ(timed.measures.preemptions, 1U);
}

TEST(Time, aNodeThatGoesTakesItsPodsAndReturns) {
  // The only node is down from 40 to 100: a starts over then, b comes meanwhile and waits behind.
  const Timed timed =
      play_in({"id,submit,duration,gpu\n"
               "a,0,60,1\n"
               "b,50,10,1\n",
               "name,gpu,down\nn,1,40-100\n"});
  EXPECT_EQ(end_of(timed, 0), 160);
  EXPECT_EQ(start_of(timed, 1), 160);
  EXPECT_EQ(timed.measures.outages, 1U);
  EXPECT_EQ(timed.measures.killed_pods, 1U);
  EXPECT_NEAR(timed.measures.gpu_hours_lost * kGpuHour, 40, 1e-9);
  // What is down is no capacity: 170 s but for 60.
  EXPECT_NEAR(timed.measures.gpu_hours_capacity * kGpuHour, 110, 1e-9);
}

TEST(Time, aJobThatIsDoneAsItsNodeGoesIsDone) {
  const Timed timed =
      play_in({"id,submit,duration,gpu\n"
               "a,0,40,1\n",
               "name,gpu,down\nn,1,40-\n"});
  EXPECT_EQ(end_of(timed, 0), 40);
  EXPECT_EQ(timed.measures.killed_pods, 0U);
}

TEST(Time, aRigidGangLosesAllOfItsPodsWithOneNode) {
  // Two pods on two nodes; the second goes at 10 and there is a third.
  const Timed timed =
      play_in({"id,submit,duration,replicas,gpu\n"
               "g,0,50,2,1\n",
               "name,gpu,down\nn0,1,\nn1,1,10-\nn2,1,\n", "first-fit"});
  EXPECT_EQ(end_of(timed, 0), 60);
  EXPECT_EQ(timed.measures.killed_pods, 1U);
  EXPECT_NEAR(timed.measures.gpu_hours_lost * kGpuHour, 20, 1e-9);
  EXPECT_EQ(timed.outcomes[0].places, (std::vector<NodePods>{{0, 1}, {2, 1}}));
}

TEST(Time, anElasticGangGoesOnWithThePodsThatItHas) {
  // 100 s x 2 pods of work. Both run 0-20; one alone 20-60, as a node is down; both again from 60:
  // 40 + 40 + 2 x 60 = 200 at 120.
  const Timed timed =
      play_in({"id,submit,duration,replicas,min,gpu\n"
               "g,0,100,2,1,1\n",
               "name,gpu,down\nn0,1,\nn1,1,20-60\n", "first-fit"});
  EXPECT_EQ(end_of(timed, 0), 120);
  EXPECT_EQ(timed.outcomes[0].attempts, 1);
  EXPECT_NEAR(timed.measures.gpu_hours_lost, 0, 1e-12);
}

TEST(Time, aJobThatFailsComesBackLaterAndNotForEver) {
  // Fails after 30 s of its 100: back after 10 s, then after 20 s; the third failure is its last.
  const Timed timed =
      play_in({"id,submit,duration,gpu,fails_after,restarts\n"
               "a,0,100,1,30,2\n"
               "b,1,5,1,,\n",
               "name,gpu\nn,1\n"});
  EXPECT_EQ(start_of(timed, 1), 30);  // while a is away
  EXPECT_EQ(timed.outcomes[0].state, JobOutcome::State::failed);
  EXPECT_EQ(end_of(timed, 0), 30 + 10 + 30 + 20 + 30);
  EXPECT_EQ(timed.measures.failed, 1U);
  EXPECT_EQ(timed.measures.failed_attempts, 3U);
  EXPECT_NEAR(timed.measures.gpu_hours_lost * kGpuHour, 90, 1e-9);
}

TEST(Time, aJobThatFailsKeepsWhatItsCheckpointsKept) {
  // 25 s of work are kept by the first attempt, which fails at 30; the second has 15 left.
  const Timed timed =
      play_in({"id,submit,duration,gpu,fails_after,restarts,checkpoint_every\n"
               "a,0,40,1,30,1,25\n",
               "name,gpu\nn,1\n"});
  EXPECT_EQ(timed.outcomes[0].state, JobOutcome::State::completed);
  EXPECT_EQ(end_of(timed, 0), 30 + 10 + 15);
  EXPECT_NEAR(timed.measures.gpu_hours_lost * kGpuHour, 5, 1e-9);
}

std::shared_ptr<const SlowdownModel> measured() {
  trace::StepTimes times;
  EXPECT_TRUE(times
                  .add_placements("m", "p.csv",
                                  "placement,local_bsz,step_time\n2,8,1\n11,8,3\n4,8,1\n22,8,0.5\n")
                  .ok());
  auto rates = trace::StepRates::parse(
      "r.json", R"j({"v100": {"('LM', 1)": {"null": 8}, "('LM', 2)": {"null": 8}},
                     "v100_unconsolidated": {"('LM', 2)": {"null": 4}},
                     "k80": {"('LM', 1)": {"null": 2}, "('LM', 2)": {"null": 2}},
                     "k80_unconsolidated": {"('LM', 2)": {"null": 1}}})j");
  EXPECT_TRUE(rates.ok());
  return std::make_shared<const SlowdownModel>(std::move(times), *rates);
}

TEST(Time, aSlowPlaceTakesLonger) {
  struct Case {
    const char* jobs;
    const char* nodes;
    double end;
  };
  const char* const header = "id,submit,duration,replicas,gpu,model\n";
  const Case cases[] = {
      {"a,0,100,2,1,m\n", "name,gpu\nn0,2\n", 100},
      {"a,0,100,2,1,m\n", "name,gpu\nn0,1\nn1,1\n", 300},
      {"a,0,100,2,2,m\n", "name,gpu\nn0,2\nn1,2\n", 50},  // more network cards
      {"a,0,100,2,1,LM\n", "name,gpu,gpu_model\nn0,2,V100\n", 100},
      {"a,0,100,2,1,LM\n", "name,gpu,gpu_model\nn0,2,Tesla-K80\n", 400},
      {"a,0,100,2,1,unknown\n", "name,gpu\nn0,1\nn1,1\n", 100},
  };
  for (const Case& each : cases) {
    const Timed timed =
        play_in({std::string(header) + each.jobs, each.nodes, "first-fit", measured()});
    EXPECT_EQ(end_of(timed, 0), each.end) << each.jobs << each.nodes;
  }
}

TEST(Time, whatASlowPlaceTakesIsNeitherUsefulNorLost) {
  const Timed timed = play_in({"id,submit,duration,replicas,gpu,model\na,0,100,2,1,m\n",
                               "name,gpu\nn0,1\nn1,1\n", "first-fit", measured()});
  EXPECT_NEAR(timed.measures.gpu_hours_useful * kGpuHour, 200, 1e-9);
  EXPECT_NEAR(timed.measures.gpu_hours_slowdown * kGpuHour, 400, 1e-9);
  EXPECT_NEAR(timed.measures.residue(), 0, 1e-12);
}

TEST(Time, aMonthOfFailuresAddsUpAndIsTheSameTwice) {
  std::string jobs =
      "id,submit,duration,replicas,min,gpu,model,checkpoint_every,checkpoint_cost,restart_cost\n";
  for (int i = 0; i < 200; ++i) {
    jobs += "j" + std::to_string(i) + "," + std::to_string(i * 3000) + "," +
            std::to_string(1000 + (i * 7919) % 9'000) + "," + std::to_string(1 + i % 3) + ",1,1," +
            (i % 2 == 0 ? "m" : "") + "," + (i % 4 == 0 ? "3600,60,300" : ",,") + "\n";
  }
  World world{jobs, "name,gpu,topology.rack\nn0,2,a\nn1,2,a\nn2,2,b\nn3,2,b\n", "default",
              measured()};
  world.failures.between = std::chrono::hours(24);
  world.failures.domains = {{"rack", std::chrono::hours(200)}};
  const Timed first = play_in(world);
  const Timed second = play_in(world);
  EXPECT_GT(first.measures.outages, 10U);
  EXPECT_EQ(first.measures.all.completed, 200U);
  EXPECT_NEAR(first.measures.residue(), 0, 1e-9);
  EXPECT_GT(first.measures.gpu_hours_lost, 0);
  EXPECT_GT(first.measures.gpu_hours_overhead, 0);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(first.outcomes[i].end, second.outcomes[i].end);
    EXPECT_EQ(first.outcomes[i].time.useful, (1000 + static_cast<std::int64_t>(i * 7919) % 9'000) *
                                                 1000 * static_cast<std::int64_t>(1 + i % 3));
  }
}

TEST(Time, failuresThatNeverEndAreRefused) {
  const auto trace = trace::read_trace({{"j", "id,submit,gpu\na,0,1\n"}}, {});
  const auto nodes = trace::read_nodes({{"n", "name,gpu\nn,1\n"}}, {});
  SimulationOptions options;
  options.policies = {*parse_policy("default")};
  options.failures.between = std::chrono::hours(1);
  const auto result = simulate(*trace, *nodes, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "failures that are drawn need --until where jobs run for ever");
  options.until = std::chrono::hours(100);
  EXPECT_TRUE(simulate(*trace, *nodes, options).ok());
}

}  // namespace
}  // namespace tutti::replay
