#include "trace/read.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/gzip.h"
#include "trace/node_changes.h"
#include "trace/topology.h"

namespace tutti::trace {
namespace {

using std::chrono::seconds;

Trace trace_of(const std::string& text, const ReadOptions& options = {}) {
  Result<Trace> read = read_trace({{"t.csv", text}}, options);
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read.ok() ? *std::move(read) : Trace{};
}

std::string refusal_of(const std::string& text, const ReadOptions& options = {}) {
  const Result<Trace> read = read_trace({{"t.csv", text}}, options);
  return read.ok() ? "" : read.error().message;
}

std::string gzipped(const std::string& text) {
  const std::string path = testing::TempDir() + "/trace_read_test.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  std::filesystem::remove(path);
  return bytes.str();
}

TEST(Trace, readsEveryColumnOfTheGenericFormat) {
  const Trace trace = trace_of(
      "id,submit,duration,limit,replicas,min,cpu,memory,gpu,gpu_model,extra,queue,priority,"
      "preemptible,topology,team\n"
      "late,100.5,60,120,4,2,0.5,16Gi,2,A|B,x.io/n=3,q1,7,false,rack:required,red\n"
      "early,90,,,,,,512,0.25,,,,,,,\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  const Job& early = trace.jobs[0];
  EXPECT_EQ(early.id, "early");
  EXPECT_EQ(early.submit, Millis{0});
  EXPECT_FALSE(early.duration.has_value());
  EXPECT_EQ(early.memory, std::int64_t{512} << 20);
  EXPECT_EQ(early.gpu_milli, 250);
  EXPECT_EQ(trace.invented, (Counts{{"duration: for ever", 1}}));
  const Job& late = trace.jobs[1];
  EXPECT_EQ(late.submit, Millis{10'500});
  EXPECT_EQ(late.duration, seconds(60));
  EXPECT_EQ(late.limit, seconds(120));
  EXPECT_EQ(late.replicas, 4);
  EXPECT_EQ(late.minimum, 2);
  EXPECT_EQ(late.milli_cpu, 500);
  EXPECT_EQ(late.memory, std::int64_t{16} << 30);
  EXPECT_EQ(late.gpu_milli, 2000);
  EXPECT_EQ(late.models, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(late.extra, (std::vector<std::pair<std::string, std::int64_t>>{{"x.io/n", 3}}));
  EXPECT_EQ(late.queue, "q1");
  EXPECT_EQ(late.priority, 7);
  EXPECT_FALSE(late.preemptible);
  EXPECT_EQ(late.level, "rack");
  EXPECT_EQ(late.labels, (std::vector<std::pair<std::string, std::string>>{{"team", "red"}}));
}

TEST(Trace, readsJsonLinesAsTheSameColumns) {
  const Trace trace = trace_of(
      "{\"id\": \"a\", \"submit\": 3, \"duration\": 1.5, \"gpu\": 1}\n\n"
      "{\"submit\": 5, \"id\": \"b\", \"cpu\": 2, \"queue\": null}\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].duration, Millis{1500});
  EXPECT_EQ(trace.jobs[1].submit, seconds(2));
  EXPECT_EQ(trace.jobs[1].milli_cpu, 2000);
  EXPECT_EQ(trace.jobs[1].queue, "default");
}

TEST(Trace, keepsTheOrderOfRowsAmongEqualTimes) {
  const Trace trace = trace_of("id,submit\nz,1\nb,0\na,1\n");
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].id + trace.jobs[1].id + trace.jobs[2].id, "bza");
}

TEST(Trace, saysFileLineColumnAndWhatWasExpected) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"", "t.csv:1: expected a row of column names, found nothing"},
      {"id,id\n", "t.csv:1: two columns 'id'"},
      {"id,submit\na,1,2\n", "t.csv:2: expected 2 cells, found 3"},
      {"id,submit\n\"a,1\n", "t.csv:2: a quote is not closed"},
      {"id,submit\na,\n", "t.csv:2: column 'submit': expected a value, found nothing"},
      {"id,submit\n,1\n", "t.csv:2: column 'id': expected a value, found nothing"},
      {"id,submit\n\r\na,noon\n",
       "t.csv:3: column 'submit': expected a time (seconds, 2026-01-31T10:00:00Z or 2026-01-31 "
       "10:00:00), found 'noon'"},
      {"id,submit,cpu\na,1,-1\n",
       "t.csv:2: column 'cpu': expected a number of at least 0 with at most three decimals, found "
       "'-1'"},
      {"id,submit,gpu\na,1,1.5\n",
       "t.csv:2: column 'gpu': expected a part of one GPU, or whole ones"},
      {"id,submit,replicas,min\na,1,2,3\n",
       "t.csv:2: column 'min': expected a whole number from 1 to 2, found '3'"},
      {"id,submit,duration,replicas\na,1,31000000000,1000000\n",
       "t.csv:2: column 'duration': expected less work for all pods together"},
      {"id,submit\na,1\na,2\n", "two jobs are called 'a'"},
      {"x,y\n1,2\n",
       "t.csv: the columns (x, y) are those of no format that is known; --format names one of "
       "generic, openb, philly, tiresias, muri, gavel-msr, azure-llm, swf"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(refusal_of(each.text), each.problem) << each.text;
  }
}

TEST(Trace, refusesJsonThatIsNoRow) {
  const std::string good = "{\"id\": \"a\", \"submit\": 1}\n";
  EXPECT_EQ(refusal_of(good + "{\"id\": [1]}\n"), "t.csv:2: member 'id' is no plain value");
  EXPECT_EQ(refusal_of(good + "[1]\n"), "t.csv:2: expected one object");
  EXPECT_EQ(refusal_of(good + "{\"id\": \"a\"} {\"submit\": 1}\n"), "t.csv:2: expected one object");
  EXPECT_TRUE(refusal_of(good + "{\n").starts_with("t.csv:2: not JSON: "));
}

TEST(Trace, countsBadRowsWhenTheyAreToBeSkipped) {
  const Trace trace = trace_of("id,submit\na,1\nb\nc,x\nd,2\n", {.skip_bad_rows = true});
  EXPECT_EQ(trace.jobs.size(), 2U);
  ASSERT_EQ(trace.inputs.size(), 1U);
  EXPECT_EQ(trace.inputs[0].rows, 2U);
  EXPECT_EQ(trace.inputs[0].skipped, 2U);
}

TEST(Trace, readsGzipAndNamesTheFileByItsBytes) {
  const std::string plain = "id,submit\na,1\n";
  const Trace trace = trace_of(gzipped(plain) + gzipped("b,2\n"));
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[1].id, "b");
  EXPECT_EQ(refusal_of(gzipped(plain).substr(0, 20)), "t.csv: not whole gzip data");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Trace, readsOpenb) {
  const Trace trace = trace_of(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
      "deletion_time,scheduled_time\n"
      "p0,12000,16384,1,460,V100|T4,LS,Running,10,100,20\n"
      "p1,4000,8192,0,0,V100,BE,Pending,30,50,\n"
      "p2,8000,8192,4,1200,,BE,Running,30,50,40\n");
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].gpu_milli, 460);
  EXPECT_EQ(trace.jobs[0].models.size(), 2U);
  EXPECT_EQ(trace.jobs[0].duration, seconds(80));
  EXPECT_EQ(trace.jobs[1].gpu_milli, 0);
  EXPECT_TRUE(trace.jobs[1].models.empty());
  EXPECT_EQ(trace.jobs[1].duration, seconds(20));
  EXPECT_EQ(trace.jobs[2].gpu_milli, 4000);
  EXPECT_EQ(trace.invented, (Counts{{"duration: of pods that were never scheduled", 1}}));
}

TEST(Trace, laysOutPhillyJobsInEqualPods) {
  struct Case {
    const char* gpus;
    int pods;
    int each;
  };
  for (const Case& each :
       {Case{"1", 1, 1}, {"8", 1, 8}, {"12", 2, 6}, {"24", 3, 8}, {"11", 11, 1}}) {
    const Trace trace = trace_of(
        std::string("timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,") +
        each.gpus + ",66.0,vc\n\n");
    ASSERT_EQ(trace.jobs.size(), 1U);
    EXPECT_EQ(trace.jobs[0].replicas, each.pods) << each.gpus;
    EXPECT_EQ(trace.jobs[0].minimum, each.pods) << each.gpus;
    EXPECT_EQ(trace.jobs[0].gpu_milli, each.each * 1000) << each.gpus;
    EXPECT_EQ(trace.jobs[0].queue, "vc");
  }
}

TEST(Trace, readsTheStandardWorkloadFormat) {
  const Trace trace = trace_of(
      "; MaxProcs: 100\n"
      "  1 10 5 60 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n"
      "\n"
      "2 20 -1 0 -1 -1 -1 4 120 -1 5 3 1 -1 2 -1 -1 -1\n"
      "3 30 0 10 2 -1 -1 -1 -1 -1 1 3 1 -1 2 -1 -1 -1 ; two\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].milli_cpu, 8000);
  EXPECT_EQ(trace.jobs[0].limit, seconds(120));
  EXPECT_EQ(trace.jobs[0].observed_start, seconds(5));
  EXPECT_EQ(trace.jobs[1].milli_cpu, 2000);
  EXPECT_EQ(trace.jobs[1].submit, seconds(20));
  EXPECT_EQ(trace.dropped, (Counts{{"cancelled before the start", 1}}));
  EXPECT_EQ(trace.invented, (Counts{{"limit: the run time", 1}}));
}

TEST(NodeList, readsBothForms) {
  const auto own = read_nodes({{"n.csv",
                                "name,cpu,memory,gpu,gpu_model,extra,topology.rack\n"
                                "n0,8,64Gi,4,T4,x.io/n=2,r1\n"}},
                              {});
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(own->nodes[0].milli_cpu, 8000);
  EXPECT_EQ(own->nodes[0].extra,
            (std::vector<std::pair<std::string, std::int64_t>>{{"x.io/n", 2}}));
  EXPECT_EQ(own->nodes[0].levels,
            (std::vector<std::pair<std::string, std::string>>{{"rack", "r1"}}));
  const auto openb =
      read_nodes({{"n.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,1024,2,P100\n"}}, {});
  ASSERT_TRUE(openb.ok()) << openb.error().message;
  EXPECT_EQ(openb->nodes[0].gpus, 2);
  EXPECT_EQ(openb->nodes[0].pods, 1001);
  const auto twice = read_nodes({{"n.csv", "name\na\na\n"}}, {});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message, "n.csv:3: column 'name': given twice");
}

TEST(Topology, makesTheProductOfTheLevels) {
  const auto made = make_nodes(
      "block=2,rack=3,host=4,gpu=8,model=H100,cpu=192,memory=2Gi+block=1,"
      "rack=1,host=2,gpu=4");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->nodes.size(), 26U);
  EXPECT_EQ(made->nodes.front().name, "b00-r00-h00");
  EXPECT_EQ(made->nodes.back().name, "b02-r00-h01");
  EXPECT_EQ(made->nodes[0].levels, (std::vector<std::pair<std::string, std::string>>{
                                       {"block", "b00"}, {"rack", "b00-r00"}}));
  EXPECT_EQ(made->nodes[0].gpus, 8);
  EXPECT_EQ(made->nodes.back().gpus, 4);
  for (const char* bad :
       {"", "rack=1", "host=x", "host=2,rack=1", "host=1,cpu=?", "host=9999999"}) {
    EXPECT_FALSE(make_nodes(bad).ok()) << bad;
  }
}

TEST(Topology, makesCliquesAndPartsOfDevices) {
  const auto cliques = make_nodes("rack=2,nvlink=18hosts,host=1,gpu=4");
  ASSERT_TRUE(cliques.ok()) << cliques.error().message;
  ASSERT_EQ(cliques->nodes.size(), 36U);
  EXPECT_EQ(cliques->nodes[18].levels, (std::vector<std::pair<std::string, std::string>>{
                                           {"rack", "r01"}, {"nvlink", "r01-n00"}}));
  const auto parts = make_nodes("host=2,gpu=8xA100:mig=1g.5gb*7+host=1,gpu=4xT4,nvlink=4");
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_EQ(parts->nodes.size(), 3U);
  EXPECT_EQ(parts->nodes[0].gpus, 0);
  EXPECT_EQ(parts->nodes[0].extra,
            (std::vector<std::pair<std::string, std::int64_t>>{{"nvidia.com/mig-1g.5gb", 56}}));
  EXPECT_EQ(parts->nodes[2].model, "T4");
  for (const char* bad : {"host=1,gpu=8x", "host=1,gpu=8xA:mig=7", "host=1,gpu=8,nvlink=4",
                          "nvlink=4,host=1", "host=1,nvlink=4hosts", "nvlink=0hosts,host=1"}) {
    EXPECT_FALSE(make_nodes(bad).ok()) << bad;
  }
}

TEST(NodeList, readsLingjunsTopology) {
  ReadOptions options;
  options.gpus_per_node = 8;
  const auto list = read_nodes({{"t.csv", "ip,DSW,PSW,ASW\na1,G6,P10,S14\n"}}, options);
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_EQ(list->nodes[0].levels, (std::vector<std::pair<std::string, std::string>>{
                                       {"core", "G6"}, {"block", "P10"}, {"rack", "S14"}}));
  EXPECT_EQ(list->nodes[0].gpus, 8);
  EXPECT_EQ(list->invented, (Counts{{std::string(kInventedGpus), 1}}));
}

TEST(NodeChanges, growShrinkAndDrain) {
  NodeList list = *make_nodes("host=3,gpu=8");
  ASSERT_TRUE(add_nodes(list, "2xh01").ok());
  EXPECT_EQ(list.nodes.back().name, "h01+2");
  EXPECT_EQ(list.nodes.back().gpus, 8);
  ASSERT_TRUE(remove_nodes(list, 1).ok());
  EXPECT_EQ(list.nodes.size(), 4U);
  ASSERT_TRUE(drain_nodes(list, "h00,h02@1.5d").ok());
  EXPECT_EQ(list.nodes[2].down[0].from, std::chrono::hours(36));
  EXPECT_FALSE(list.nodes[2].down[0].to.has_value());
  EXPECT_EQ(list.changes.size(), 3U);
  ASSERT_TRUE(add_outages(list, {"f", "node,down,up\nh00,10,20.5\nh00,30,\n"}).ok());
  EXPECT_EQ(list.nodes[0].down[1].to, Millis{20'500});
}

TEST(NodeChanges, sayWhatTheyDoNotUnderstand) {
  struct Case {
    Status status;
    const char* problem;
  };
  NodeList list = *make_nodes("host=2");
  const Case cases[] = {
      {add_nodes(list, "h00"), "--add-nodes: expected 10xNODE, found 'h00'"},
      {add_nodes(list, "2xh9"), "--add-nodes: there is no node 'h9'"},
      {remove_nodes(list, 2), "--remove-nodes: expected less than the 2 nodes there are, found 2"},
      {drain_nodes(list, "h00"), "--drain: expected NODE,NODE@TIME, found 'h00'"},
      {drain_nodes(list, "h00@soon"), "--drain: expected NODE,NODE@TIME, found 'h00@soon'"},
      {drain_nodes(list, "h9@1h"), "--drain: there is no node 'h9'"},
      {add_outages(list, {"f", "node,down\n"}),
       "f:1: there is no column 'up': expected node,down,up"},
      {add_outages(list, {"f", "node,down,up\nh9,1,2\n"}),
       "f:2: column 'node': there is no node 'h9'"},
      {add_outages(list, {"f", "node,down,up\nh00,5,5\n"}),
       "f:2: column 'up': expected a time after down"},
  };
  for (const Case& each : cases) {
    ASSERT_FALSE(each.status.ok()) << each.problem;
    EXPECT_EQ(each.status.error().message, each.problem);
  }
}

TEST(Trace, readsCheckpointsAndFailures) {
  const Trace trace = trace_of(
      "id,submit,checkpoint_every,checkpoint_cost,restart_cost,fails_after,restarts\n"
      "a,0,600,30,60,3600,2\n");
  const Job& job = trace.jobs[0];
  EXPECT_EQ(job.checkpoint_every, seconds(600));
  EXPECT_EQ(job.checkpoint_cost, seconds(30));
  EXPECT_EQ(job.restart_cost, seconds(60));
  EXPECT_EQ(job.fails_after, seconds(3600));
  EXPECT_EQ(job.restarts, 2);
  EXPECT_TRUE(trace.ignored.empty());
  EXPECT_EQ(refusal_of("id,submit,checkpoint_every\na,0,0\n"),
            "t.csv:2: column 'checkpoint_every': expected more than 0 seconds");
  const auto nodes = read_nodes({{"n", "name,down\nn,10-20;30.5-\n"}}, {});
  ASSERT_TRUE(nodes.ok()) << nodes.error().message;
  ASSERT_EQ(nodes->nodes[0].down.size(), 2U);
  EXPECT_FALSE(nodes->nodes[0].down[1].to.has_value());
  const auto backwards = read_nodes({{"n", "name,down\nn,20-10\n"}}, {});
  ASSERT_FALSE(backwards.ok());
  EXPECT_EQ(backwards.error().message,
            "n:2: column 'down': expected FROM-TO;FROM- in seconds, found '20-10'");
}

}  // namespace
}  // namespace tutti::trace
