#include <gtest/gtest.h>

#include "trace/clusters/sources.h"
#include "trace/clusters/tres.h"

namespace tutti::trace {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

ReadOptions with_sources() {
  ReadOptions options;
  options.sources = cluster_sources();
  return options;
}

Trace slurm_of(const std::string& text, ReadOptions options = with_sources()) {
  Result<Trace> read = read_trace({{"jobs.txt", text}}, options);
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read.ok() ? *std::move(read) : Trace{};
}

constexpr const char* kHeader =
    "JobIDRaw|User|Account|Partition|QOS|Priority|Submit|Eligible|Start|End|ElapsedRaw|"
    "TimelimitRaw|ReqTRES|AllocTRES|NNodes|State|ExitCode\n";

TEST(Sacct, readsAJobAsAGangOfItsNodes) {
  const Trace trace = slurm_of(
      std::string(kHeader) +
      "17|ann|physics|gpu|normal|4000|2024-03-01T10:00:00|2024-03-01T10:05:00|"
      "2024-03-01T11:00:00|2024-03-01T12:00:00|3600|120|"
      "billing=64,cpu=64,gres/gpu:a100=8,gres/gpu=8,mem=250.50G,node=2||2|COMPLETED|0:0\n");
  ASSERT_EQ(trace.jobs.size(), 1U);
  const Job& job = trace.jobs[0];
  EXPECT_EQ(job.id, "17");
  EXPECT_EQ(job.submit, Millis{0});
  EXPECT_EQ(job.observed_start, minutes(55));  // after it became eligible
  EXPECT_EQ(job.observed_end, minutes(115));
  EXPECT_EQ(job.duration, seconds(3600));
  EXPECT_EQ(job.limit, minutes(120));
  EXPECT_EQ(job.replicas, 2);
  EXPECT_EQ(job.minimum, 2);
  EXPECT_EQ(job.milli_cpu, 32'000);
  EXPECT_EQ(job.memory, (std::int64_t{250} << 30) / 2 + (std::int64_t{1} << 28));
  EXPECT_EQ(job.gpu_milli, 4000);
  EXPECT_EQ(job.models, std::vector<std::string>{"a100"});
  EXPECT_EQ(job.queue, "physics");
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.priority, 4000);
  EXPECT_EQ(trace.inputs[0].format, "sacct");
  EXPECT_TRUE(trace.invented.empty());
}

TEST(Sacct, needsNoHeaderWhereTheColumnsAreThoseOfTheGuide) {
  const Trace trace = slurm_of(
      "5|u|a|p|q|1|100|100|110|120|10|UNLIMITED|cpu=1,node=1|cpu=1,node=1|1|FAILED|1:0\n"
      "6|u|a|p|q|1|105|105|110|130|20|Partition_Limit|cpu=2|cpu=2|1|TIMEOUT|0:0\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[1].submit, seconds(5));
  EXPECT_FALSE(trace.jobs[0].limit.has_value());
}

TEST(Sacct, countsWhatIsNoJobAndWhatItMadeUp) {
  struct Case {
    const char* row;
    Unfinished unfinished;
    std::size_t jobs;
    Counts dropped;
    Counts invented;
  };
  const Counts for_ever = {{"duration: for ever, of jobs that had not ended", 1}};
  const Counts so_far = {{"duration: so far, of jobs that had not ended", 1}};
  const Counts before = {{"ended before the start", 1}};
  const Counts open = {{"not ended", 1}};
  const Case cases[] = {
      {"1||||||9|9|Unknown|20|0||cpu=1||1|CANCELLED by 7|", Unfinished::censor, 0, before, {}},
      {"1||||||9|9|20|20|0||cpu=1||1|CANCELLED|", Unfinished::censor, 0, before, {}},
      {"1||||||9|9|10|20|10||cpu=1||1|CANCELLED by 7|", Unfinished::censor, 1, {}, {}},
      {"1||||||9|9|10|Unknown|30||cpu=1||1|RUNNING|", Unfinished::censor, 1, {}, for_ever},
      {"1||||||9|9|10|Unknown|30||cpu=1||1|RUNNING|", Unfinished::elapsed, 1, {}, so_far},
      {"1||||||9|9|10|Unknown|30||cpu=1||1|RUNNING|", Unfinished::drop, 0, open, {}},
      {"1||||||9|9|Unknown|Unknown|0||cpu=1||1|PENDING|", Unfinished::elapsed, 0, open, {}},
      {"1||||||9|Unknown|10|20|10||cpu=1||1|COMPLETED|",
       Unfinished::censor,
       1,
       {},
       {{"eligible: the time of submit", 1}}},
      {"1||||||9|9|10|20|10||cpu=4,gres/gpu=6,node=4||4|COMPLETED|",
       Unfinished::censor,
       1,
       {},
       {{"shape: GPUs that do not divide by the nodes", 1}}},
  };
  for (const Case& each : cases) {
    ReadOptions options = with_sources();
    options.unfinished = each.unfinished;
    const Trace trace = slurm_of(std::string(each.row) + "\n", options);
    EXPECT_EQ(trace.jobs.size(), each.jobs) << each.row;
    EXPECT_EQ(trace.dropped, each.dropped) << each.row;
    EXPECT_EQ(trace.invented, each.invented) << each.row;
  }
}

TEST(Sacct, tellsAttemptsApartOrJoinsThem) {
  const std::string rows =
      "7||||||0|0|10|20|10||cpu=1||1|NODE_FAIL|\n"
      "7||||||0|20|30|90|60||cpu=1||1|COMPLETED|\n";
  const Trace apart = slurm_of(rows);
  ASSERT_EQ(apart.jobs.size(), 2U);
  EXPECT_EQ(apart.jobs[1].id, "7#2");
  ReadOptions options = with_sources();
  options.join_requeues = true;
  const Trace joined = slurm_of(rows, options);
  ASSERT_EQ(joined.jobs.size(), 1U);
  EXPECT_EQ(joined.jobs[0].submit, Millis{0});
  EXPECT_EQ(joined.jobs[0].duration, seconds(60));
}

TEST(Sacct, saysFileLineColumnAndWhatWasExpected) {
  struct Case {
    std::string text;
    const char* problem;
  };
  const std::string header = kHeader;
  const Case cases[] = {
      {"JobIDRaw|Submit\n1|2\n",
       "jobs.txt:1: sacct needs the columns JobIDRaw, Submit, Start, ElapsedRaw, State; there is "
       "no Start"},
      {header + "1|2\n", "jobs.txt:2: expected 17 cells, found 2"},
      {header + "1||||||noon|9|10|20|10||cpu=1||1|COMPLETED|\n",
       "jobs.txt:2: column 'Submit': expected a time (seconds, 2026-01-31T10:00:00Z or 2026-01-31 "
       "10:00:00), found 'noon'"},
      {header + "1||||||9|9|10|20|x||cpu=1||1|COMPLETED|\n",
       "jobs.txt:2: column 'ElapsedRaw': expected a whole number from 0 to 3162240000, found 'x'"},
      {header + "1||||||9|9|10|20|10||cpus:1||1|COMPLETED|\n",
       "jobs.txt:2: column 'ReqTRES': expected resources such as cpu=4,mem=8G,node=1,gres/gpu=2, "
       "found 'cpus:1'"},
      {header + "1||||||9|9|10|20|10||cpu=1||1||\n",
       "jobs.txt:2: column 'State': expected a state, found nothing"},
  };
  for (const Case& each : cases) {
    const auto read = read_trace({{"jobs.txt", each.text}}, with_sources());
    ASSERT_FALSE(read.ok()) << each.text;
    EXPECT_EQ(read.error().message, each.problem) << each.text;
  }
}

TEST(Sinfo, readsNodesOncePerPartitionAndWhereTheyLie) {
  const auto list = read_nodes({{"topology.conf",
                                 "# two racks\n"
                                 "SwitchName=leaf0 Nodes=n[01-02] LinkSpeed=100\n"
                                 "switchname=leaf1 nodes=n03\n"
                                 "SwitchName=top Switches=leaf[0-1]\n"},
                                {"sinfo.txt",
                                 "NODELIST CPUS MEMORY GRES\n"
                                 "n01 64 512000 gpu:a100:8(S:0-1),shard:a100:16(S:0-1)\n"
                                 "n01 64 512000 gpu:a100:8(S:0-1)\n"
                                 "n[02-03] 32 1000 (null)\n"}},
                               with_sources());
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list->nodes.size(), 3U);
  const Node& first = list->nodes[0];
  EXPECT_EQ(first.name, "n01");
  EXPECT_EQ(first.milli_cpu, 64'000);
  EXPECT_EQ(first.memory, 512'000 * kMiB);
  EXPECT_EQ(first.gpus, 8);
  EXPECT_EQ(first.model, "a100");
  EXPECT_EQ(first.extra, (std::vector<std::pair<std::string, std::int64_t>>{{"gres/shard", 16}}));
  using Levels = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(first.levels, (Levels{{"rack", "leaf0"}, {"block", "top"}}));
  EXPECT_EQ(list->nodes[2].levels, (Levels{{"rack", "leaf1"}, {"block", "top"}}));
}

TEST(Sinfo, refusesWhatMakesNoSense) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"NODELIST CPUS MEMORY GRES\nn1 x 1 (null)\n",
       "f:2: column 'CPUS': expected a number of CPUs, found 'x'"},
      {"NODELIST CPUS MEMORY GRES\nn1 1 1 gpu\n",
       "f:2: column 'GRES': expected gpu:MODEL:8 or (null), found 'gpu'"},
      {"NODELIST CPUS MEMORY GRES\nn[ 1 1 (null)\n",
       "f:2: column 'NODELIST': expected nodes such as n[01-08], found 'n['"},
      {"NODELIST CPUS MEMORY GRES\nn1 1\n", "f:2: expected 4 words, found 2"},
      {"SwitchName=a Switches=a\n", "f: switch 'a' is below itself, or more than 5 layers high"},
      {"SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "f:2: two switches 'a'"},
  };
  for (const Case& each : cases) {
    const auto read = read_nodes({{"f", each.text}}, with_sources());
    ASSERT_FALSE(read.ok()) << each.text;
    EXPECT_EQ(read.error().message, each.problem) << each.text;
  }
}

TEST(Tres, readsAmountsOfMemory) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> bytes;
  };
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  const Case cases[] = {{"1G", kGiB},
                        {"1.5G", kGiB * 3 / 2},
                        {"1024M", kGiB},
                        {"1048576K", kGiB},
                        {"1024", kGiB},
                        {"1Gn", kGiB},
                        {"1Gc", kGiB},
                        {"", std::nullopt},
                        {"G", std::nullopt},
                        {"-1G", std::nullopt},
                        {"9999999T", std::nullopt}};
  for (const Case& each : cases) EXPECT_EQ(parse_slurm_memory(each.text), each.bytes) << each.text;
}

}  // namespace
}  // namespace tutti::trace
