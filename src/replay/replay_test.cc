// Traces whose waits can be worked out by hand, through the same scheduler as everywhere.
#include "replay/simulation.h"

#include <gtest/gtest.h>

#include "trace/read.h"
#include "trace/topology.h"

namespace tutti::replay {
namespace {

using State = JobOutcome::State;

struct Played {
  std::vector<JobOutcome> outcomes;
  Measures measures;
  std::uint64_t digest = 0;
};

Played play(const std::string& jobs, const std::string& topology, const std::string& policy,
            std::optional<Millis> until = {}, bool enforce_limits = false) {
  auto trace = trace::read_trace({{"jobs.csv", jobs}}, {});
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  auto nodes = trace::make_nodes(topology);
  EXPECT_TRUE(nodes.ok()) << nodes.error().message;
  auto chosen = parse_policy(policy);
  EXPECT_TRUE(chosen.ok()) << chosen.error().message;
  Played played;
  SimulationOptions options;
  options.policies = {*chosen};
  options.until = until;
  options.enforce_limits = enforce_limits;
  options.finished = [&](const Policy&, std::int64_t, std::span<const JobOutcome> outcomes) {
    played.outcomes.assign(outcomes.begin(), outcomes.end());
    return ok_status();
  };
  auto result = simulate(*trace, *nodes, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  if (!result.ok()) return played;
  played.measures = result->runs.front().measures;
  played.digest = result->runs.front().digest;
  return played;
}

std::vector<double> starts(const Played& played) {
  std::vector<double> seconds;
  for (const JobOutcome& outcome : played.outcomes) {
    seconds.push_back(outcome.first_start ? static_cast<double>(outcome.first_start->count()) / 1000
                                          : -1);
  }
  return seconds;
}

constexpr const char* kPool = "host=1,cpu=4";

TEST(Replay, startsJobsAtTheInstantOfACompletion) {
  const Played played = play(
      "id,submit,duration,cpu\n"
      "a,0,100,4\n"
      "b,10,50,2\n"
      "c,20,50,2\n"
      "d,150,1,4\n",
      kPool, "default");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 100, 100, 150}));
  EXPECT_EQ(played.measures.all.wait_mean, (0 + 90 + 80 + 0) / 4.0);
  EXPECT_EQ(played.measures.all.completed, 4U);
  EXPECT_EQ(played.measures.makespan, 151.0);
}

TEST(Replay, measuresHowEvenlyQueuesShared) {
  const Played played = play(
      "id,submit,duration,cpu,queue\n"
      "a,0,100,4,red\n"
      "b,0,100,4,blue\n"
      "c,0,100000,4,red\n"
      "d,0,10,4,green\n",
      kPool, "default");
  // red held 100,100 x 4, blue 100 x 4, green 10 x 4 core-seconds.
  const double sum = 100'210.0;
  const double squares = 100'100.0 * 100'100.0 + 100.0 * 100.0 + 10.0 * 10.0;
  ASSERT_TRUE(played.measures.jain.has_value());
  EXPECT_NEAR(*played.measures.jain, sum * sum / (3 * squares), 1e-12);
  EXPECT_EQ(played.measures.waited_a_day, 1U);
  EXPECT_EQ(played.measures.by_duration.at("1 d and more").jobs, 1U);
  EXPECT_EQ(played.measures.by_queue.at("red").wait_max, 200);
}

TEST(Replay, startsWhatFitsWhenTheHeadDoesNot) {
  const Played played = play(
      "id,submit,duration,cpu\n"
      "a,0,100,3\n"
      "head,1,10,4\n"
      "small,2,300,1\n",
      kPool, "first-fit");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 302, 2}));
}

// Worked through in broker.md: 6 of 10 cores run until 600 s.
TEST(Replay, startsByTheRuleOfThePolicy) {
  const std::string jobs =
      "id,submit,duration,replicas,cpu\n"
      "first,0,600,6,1\n"
      "head,60,300,10,1\n"
      "long,120,900,4,1\n"
      "short,180,200,4,1\n";
  for (const char* pool : {"host=1,cpu=10", "host=10,cpu=1"}) {
    EXPECT_EQ(starts(play(jobs, pool, "default")), (std::vector<double>{0, 1020, 120, 600}));
    EXPECT_EQ(starts(play(jobs, pool, "start=strict,place=first-fit")),
              (std::vector<double>{0, 600, 900, 900}));
    EXPECT_EQ(starts(play(jobs, pool, "start=easy,place=first-fit")),
              (std::vector<double>{0, 600, 900, 180}));
    EXPECT_EQ(starts(play(jobs, pool, "start=conservative,place=first-fit")),
              (std::vector<double>{0, 600, 900, 180}));
  }
}

TEST(Replay, letsLimitsDecideWhoPasses) {
  const Played played = play(
      "id,submit,duration,limit,cpu\n"
      "first,0,100,600,6\n"
      "head,60,300,300,10\n"
      "long,70,10,900,4\n",
      "host=1,cpu=10", "start=easy,place=first-fit");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 100, 400}));
}

TEST(Replay, startsAGangAsAWholeOrNotAtAll) {
  const Played played = play(
      "id,submit,duration,replicas,gpu\n"
      "one,0,100,1,3\n"
      "gang,1,50,3,3\n"
      "other,2,10,1,3\n",
      "host=3,gpu=4", "default");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 100, 2}));
  ASSERT_EQ(played.outcomes.size(), 3U);
  EXPECT_EQ(played.outcomes[1].places,
            (std::vector<std::pair<std::uint32_t, std::int32_t>>{{0, 1}, {1, 1}, {2, 1}}));
}

// Two of four run from 0 on, the rest from 60 on: 400 pod-seconds are 120 + 280 / 4.
TEST(Replay, letsAnElasticGangGrow) {
  const Played played = play(
      "id,submit,duration,replicas,min,cpu\n"
      "first,0,60,1,1,2\n"
      "elastic,0,100,4,2,1\n",
      kPool, "default");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 0}));
  EXPECT_EQ(played.outcomes[1].end, std::chrono::seconds(60 + 70));
}

TEST(Replay, keepsAGangInOneDomain) {
  const Played played = play(
      "id,submit,duration,replicas,gpu,topology\n"
      "a,0,100,1,4,\n"
      "gang,1,10,2,4,rack:required\n"
      "wide,2,10,3,4,rack:required\n",
      "rack=2,host=2,gpu=4", "default");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 1, -1}));
  EXPECT_EQ(played.outcomes[2].state, State::impossible);
  EXPECT_EQ(played.measures.impossible, 1U);
}

TEST(Replay, evictsLowerPrioritiesAndCountsWhatTheyLose) {
  const Played played = play(
      "id,submit,duration,cpu,priority\n"
      "low,0,100,4,0\n"
      "high,30,50,4,10\n",
      kPool, "order=priority,place=default,preempt=priority");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 30}));
  EXPECT_EQ(played.outcomes[0].attempts, 2);
  EXPECT_EQ(played.outcomes[0].end, std::chrono::seconds(180));
  EXPECT_EQ(played.outcomes[0].time.lost, 30'000);
  EXPECT_EQ(played.measures.preemptions, 1U);
}

TEST(Replay, ignoresPrioritiesUnderFifo) {
  const Played played = play(
      "id,submit,duration,cpu,priority\n"
      "a,0,100,4,0\n"
      "low,10,50,4,0\n"
      "high,30,50,4,10\n",
      kPool, "default");
  EXPECT_EQ(starts(played), (std::vector<double>{0, 100, 150}));
}

TEST(Replay, sharesGpusOnlyWhereOneHasEnoughLeft) {
  const Played played = play(
      "id,submit,duration,gpu\n"
      "a,0,100,0.6\n"
      "b,0,100,0.6\n"
      "c,0,100,0.3\n"
      "d,0,100,0.5\n",
      "host=1,gpu=2", "first-fit");
  // 0.5 are left then, and not on one GPU.
  EXPECT_EQ(starts(played), (std::vector<double>{0, 0, 0, 100}));
  EXPECT_EQ(played.measures.residue(), 0);
}

TEST(Replay, endsAtTheTimeGiven) {
  const Played played = play("id,submit,duration,cpu\na,0,100,4\nb,1,100,4\n", kPool, "default",
                             std::chrono::seconds(50));
  EXPECT_EQ(played.outcomes[0].state, State::running);
  EXPECT_EQ(played.outcomes[1].state, State::waiting);
  EXPECT_FALSE(played.measures.makespan.has_value());
}

TEST(Replay, killsJobsAtTheirLimitWhenAsked) {
  const std::string jobs = "id,submit,duration,limit,cpu\na,0,100,60,4\nb,1,10,10,4\n";
  EXPECT_EQ(starts(play(jobs, kPool, "default")), (std::vector<double>{0, 100}));
  const Played killed = play(jobs, kPool, "default", {}, true);
  EXPECT_EQ(starts(killed), (std::vector<double>{0, 60}));
  EXPECT_EQ(killed.outcomes[0].state, State::killed);
}

TEST(Replay, decidesTheSameAgain) {
  std::string jobs = "id,submit,duration,replicas,gpu\n";
  for (int i = 0; i < 200; ++i) {
    jobs += "j" + std::to_string(i) + "," + std::to_string(i % 50) + "," +
            std::to_string(10 + i % 7) + "," + std::to_string(1 + i % 3) + ",0.5\n";
  }
  const char* const cluster = "rack=2,host=4,gpu=2";
  for (const char* policy : {"default", "random", "fgd", "gpu-clustering"}) {
    const Played once = play(jobs, cluster, policy);
    EXPECT_EQ(once.digest, play(jobs, cluster, policy).digest) << policy;
    EXPECT_EQ(once.measures.all.jobs + once.measures.impossible, 200U) << policy;
  }
}

TEST(Policies, refusesWhatIsNotThere) {
  for (const char* bad :
       {"", "fdg", "order=sjf", "start=soon", "place=", "x=y", "order=fifo,preempt=priority",
        "order=priority,start=easy,preempt=priority"}) {
    EXPECT_FALSE(parse_policy(bad).ok()) << bad;
  }
  EXPECT_EQ(parse_policies("fgd,order=priority,place=best-fit,random")->size(), 3U);
  EXPECT_FALSE(parse_policies("fgd,fgd").ok());
}

}  // namespace
}  // namespace tutti::replay
