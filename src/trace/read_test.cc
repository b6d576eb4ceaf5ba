#include "trace/read.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/gzip.h"
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

}  // namespace
}  // namespace tutti::trace
