#include "trace/column_map.h"

#include <gtest/gtest.h>

#include "trace/read.h"

namespace tutti::trace {
namespace {

std::string map_problem(const std::string& text) {
  const auto map = ColumnMap::parse("m.yaml", text);
  return map.ok() ? "" : map.error().message;
}

Result<Trace> mapped(const std::string& map, const std::string& text) {
  ReadOptions options;
  options.map = *ColumnMap::parse("m.yaml", map);
  return read_trace({{"t.csv", text}}, options);
}

TEST(ColumnMap, renamesAndConverts) {
  const auto trace = mapped(
      "id: {from: job}\n"
      "submit: {from: at_ms, unit: ms}\n"
      "duration: {from: hours, unit: h}\n"
      "limit: {from: minutes, unit: min, default: 7}\n"
      "cpu: {from: millis, unit: milli}\n"
      "memory: {from: mem, unit: GiB}\n"
      "gpu: {from: tres, regex: 'gpu=([0-9]+)', default: 0}\n"
      "queue: {from: team, values: {ml: research}}\n"
      "replicas: {default: 2}\n",
      "job,at_ms,hours,minutes,millis,mem,tres,team,site,cpu\n"
      "a,1000,0.5,,250,1.5,\"cpu=1,gpu=4\",ml,west,99\n"
      "b,2500,0.0001,3,1000,2,cpu=1,ops,,\n");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  ASSERT_EQ(trace->jobs.size(), 2U);
  const Job& a = trace->jobs[0];
  EXPECT_EQ(a.id, "a");
  EXPECT_EQ(a.duration, std::chrono::minutes(30));
  EXPECT_EQ(a.limit, std::chrono::seconds(7));  // a default is in the generic format's own words
  EXPECT_EQ(a.milli_cpu, 250);
  EXPECT_EQ(a.memory, std::int64_t{3} << 29);
  EXPECT_EQ(a.gpu_milli, 4000);
  EXPECT_EQ(a.queue, "research");
  EXPECT_EQ(a.replicas, 2);
  // A column of that name which no rule takes is neither: cpu of the file is not cpu.
  EXPECT_EQ(a.labels, (std::vector<std::pair<std::string, std::string>>{{"site", "west"}}));
  const Job& b = trace->jobs[1];
  EXPECT_EQ(b.submit, Millis{1500});
  EXPECT_EQ(b.duration, Millis{360});
  EXPECT_EQ(b.limit, std::chrono::minutes(3));
  EXPECT_EQ(b.gpu_milli, 0);
  EXPECT_EQ(b.queue, "ops");
}

TEST(ColumnMap, saysWhereTheMapIsWrong) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"", "m.yaml:1: expected COLUMN: {from: NAME, …}"},
      {"[]", "m.yaml:1: expected COLUMN: {from: NAME, …}"},
      {"id: {from: a}\nid: {from: b}\n", "m.yaml:2: key \"id\" is set twice (first in line 1)"},
      {"id: a\n", "m.yaml:1: column 'id': expected {from: NAME, …}"},
      {"id: {}\n", "m.yaml:1: column 'id': expected from or default"},
      {"submit:\n  from: a\n  unit: days\n",
       "m.yaml:3: column 'submit': unit: expected ms, s, min, h, iso, GiB, MiB, cores or milli, "
       "found 'days'"},
      {"gpu: {from: a, regex: '('}\n",
       "m.yaml:1: column 'gpu': regex: expected one with one group, found '('"},
      {"gpu: {from: a, form: b}\n",
       "m.yaml:1: column 'gpu': 'form' is none of from, unit, default, regex, values"},
  };
  for (const Case& each : cases) {
    if (std::string_view(each.problem).find("set twice") != std::string_view::npos) {
      EXPECT_TRUE(map_problem(each.text).starts_with("m.yaml:2: ")) << map_problem(each.text);
      continue;
    }
    EXPECT_EQ(map_problem(each.text), each.problem) << each.text;
  }
  EXPECT_TRUE(map_problem("speed: {from: a}\n")
                  .starts_with("m.yaml:1: column 'speed': the generic format has no such column"));
}

TEST(ColumnMap, saysWhichCellOfTheFileIsWrong) {
  struct Case {
    const char* map;
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"id: {from: a}\nsubmit: {from: b}\n", "a\nx\n",
       "t.csv: there is no column 'b', which the map reads submit from; there are a"},
      {"id: {from: a}\nsubmit: {from: b, unit: ms}\n", "a,b\nx,1\ny,?\n",
       "t.csv:3: column 'b': expected milliseconds, found '?'"},
      {"id: {from: a}\nsubmit: {from: b}\ngpu: {from: b, regex: 'g([0-9])'}\n", "a,b\nx,1\n",
       "t.csv:2: column 'b': expected text that matches g([0-9]), found '1'"},
      {"id: {from: a}\nsubmit: {from: b}\n", "a,b\nx,noon\n",
       "t.csv:2: column 'b': expected a time (seconds, 2026-01-31T10:00:00Z or 2026-01-31 "
       "10:00:00), found 'noon'"},
  };
  for (const Case& each : cases) {
    const auto trace = mapped(each.map, each.text);
    ASSERT_FALSE(trace.ok()) << each.text;
    EXPECT_EQ(trace.error().message, each.problem);
  }
}

TEST(GavelMsr, takesDurationsFromMeasuredRates) {
  ReadOptions options;
  options.rates =
      *StepRates::parse("rates.json", R"j({"v100": {"('LM (batch size 5)', 2)": {"null": 4.0}},
                         "v100_unconsolidated": {"('LM (batch size 5)', 2)": {"null": 1.6}}})j");
  const auto trace = read_trace({{"g.csv",
                                  "vc,job_type,arrival_time_s,total_steps,scale_factor_gpus\n"
                                  "a1,\"LM (batch size 5)\",10.0,100,2\n"}},
                                options);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  ASSERT_EQ(trace->jobs.size(), 1U);
  EXPECT_EQ(trace->inputs[0].format, "gavel-msr");
  EXPECT_EQ(trace->jobs[0].duration, std::chrono::seconds(25));
  EXPECT_EQ(trace->jobs[0].model, "LM (batch size 5)");
  EXPECT_EQ(options.rates.spread_slowdown("v100", "LM (batch size 5)", 2), 2.5);
  const auto unknown = read_trace(
      {{"g.csv", "vc,job_type,arrival_time_s,total_steps,scale_factor_gpus\na,X,0,1,1\n"}},
      options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_TRUE(unknown.error().message.starts_with("g.csv:2: column 'job_type': expected a type"));
}

TEST(StepRates, sayWhatIsWrong) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"[]", "r:1: expected an object of devices"},
      {R"({"v100": 1})", "r:1: 'v100': expected an object of job types"},
      {R"({"v100": {"LM": {}}})", "r:1: 'LM': expected a key such as ('TYPE', 4)"},
      {R"j({"v100": {"('LM', 2)": {}}})j",
       "r:1: '('LM', 2)': expected steps per second under 'null'"},
  };
  for (const Case& each : cases) {
    const auto rates = StepRates::parse("r", each.text);
    ASSERT_FALSE(rates.ok()) << each.text;
    EXPECT_EQ(rates.error().message, each.problem) << each.text;
  }
}

// Windows of 10 s; one replica reads 100 tokens or writes 10 in a second, and is to be busy for
// half of the time.
ReplicaModel small_model() {
  ReplicaModel model;
  model.prefill_rate = 100;
  model.decode_rate = 10;
  model.window = std::chrono::seconds(10);
  model.target_percent = 50;
  model.cooldown = std::chrono::seconds(20);
  return model;
}

TEST(Requests, becomeReplicasThatAnAutoscalerWouldWant) {
  ReadOptions options;
  options.replicas = small_model();
  // First window: 500/100 + 100/10 = 15 s of one replica, 15 / (10 × 0.5) = 3 replicas. Then next
  // to nothing until the sixth window.
  const auto trace = read_trace({{"r.csv",
                                  "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                  "2023-11-16 18:00:00.0000000,500,60\n"
                                  "2023-11-16 18:00:09.9990000,0,40\n"
                                  "2023-11-16 18:00:55.0000000,1,1\n"}},
                                options);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  ASSERT_EQ(trace->jobs.size(), 3U);
  EXPECT_EQ(trace->inputs[0].format, "azure-llm");
  // All three are wished for at 10 s; from 20 s on one is enough, and two go after 20 s of that.
  EXPECT_EQ(trace->jobs[0].duration, std::chrono::seconds(50));
  EXPECT_EQ(trace->jobs[1].duration, std::chrono::seconds(30));
  EXPECT_EQ(trace->jobs[2].duration, std::chrono::seconds(30));
  EXPECT_EQ(trace->invented, (Counts{{"replicas: an autoscaler's, from requests", 3}}));
}

TEST(Requests, areRefusedWithoutTheSpeedOfAReplica) {
  const auto trace =
      read_trace({{"r.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3\n"}}, {});
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().message,
            "r.csv: requests become replicas only if it is said how fast one is: --replica "
            "prefill=TOKENS/S,decode=TOKENS/S");
}

}  // namespace
}  // namespace tutti::trace
