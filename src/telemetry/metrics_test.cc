#include "telemetry/metrics.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tutti::telemetry {
namespace {

using Labels = std::map<std::string, std::string>;

struct Sample {
  std::string name;
  Labels labels;
  double value = 0;
};

struct Family {
  std::string type;
  bool helped = false;
  std::vector<Sample> samples;
};

// A strict reader of the text format: every sample belongs to the family whose TYPE line came last,
// and anything else is a problem.
struct Exposition {
  std::map<std::string, Family> families;
  std::vector<std::string> problems;
};

Labels read_labels(const std::string& text) {
  static const std::regex pair(R"lit(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)",?)lit");
  Labels labels;
  for (std::sregex_iterator at(text.begin(), text.end(), pair), end; at != end; ++at) {
    labels[(*at)[1]] = (*at)[2];
  }
  return labels;
}

bool belongs(const std::string& sample, const std::string& family, const std::string& type) {
  if (type != "histogram") return sample == family;
  return sample == family + "_bucket" || sample == family + "_sum" || sample == family + "_count";
}

Exposition read_exposition(const std::string& text) {
  static const std::regex comment(R"(# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+))");
  static const std::regex sample(
      R"lit(([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+))lit");
  Exposition out;
  std::istringstream lines(text);
  std::string line, current;
  std::smatch match;
  while (std::getline(lines, line)) {
    if (std::regex_match(line, match, comment)) {
      current = match[2];
      Family& family = out.families[current];
      if (match[1] == "HELP" && family.helped) out.problems.push_back("twice: " + line);
      if (match[1] == "HELP") family.helped = true;
      if (match[1] == "TYPE") family.type = match[3];
    } else if (std::regex_match(line, match, sample) &&
               belongs(match[1], current, out.families[current].type)) {
      std::size_t used = 0;
      const double value = std::stod(match[3], &used);
      if (used != match[3].str().size()) out.problems.push_back("number: " + line);
      out.families[current].samples.push_back({match[1], read_labels(match[2]), value});
    } else {
      out.problems.push_back(line);
    }
  }
  if (!text.ends_with('\n')) out.problems.emplace_back("no line end at the end");
  return out;
}

// Every histogram series counts upwards to its +Inf bucket, which is its count.
void check_histograms(Exposition& exposition) {
  for (const auto& [name, family] : exposition.families) {
    if (family.type != "histogram") continue;
    std::map<Labels, double> last, infinite;
    for (const Sample& sample : family.samples) {
      Labels series = sample.labels;
      series.erase("le");
      if (sample.name.ends_with("_bucket")) {
        if (sample.value < last[series]) exposition.problems.push_back("falls: " + name);
        last[series] = sample.value;
        if (sample.labels.at("le") == "+Inf") infinite[series] = sample.value;
      }
    }
    for (const Sample& sample : family.samples) {
      if (sample.name.ends_with("_count") &&
          (infinite.count(sample.labels) == 0 || infinite[sample.labels] != sample.value)) {
        exposition.problems.push_back("count: " + name);
      }
    }
  }
}

Exposition read_and_check(const std::string& text) {
  Exposition exposition = read_exposition(text);
  check_histograms(exposition);
  return exposition;
}

// "name type label,label", the labels of all samples but le.
std::vector<std::string> outline(const Exposition& exposition) {
  std::vector<std::string> lines;
  for (const auto& [name, family] : exposition.families) {
    std::set<std::string> keys;
    for (const Sample& sample : family.samples) {
      for (const auto& [key, value] : sample.labels) {
        if (key != "le") keys.insert(key);
      }
    }
    std::string line = name + " " + family.type;
    for (const std::string& key : keys) line += " " + key;
    lines.push_back(line);
  }
  return lines;
}

double value_of(const Exposition& exposition, const std::string& family, const std::string& sample,
                const Labels& labels) {
  const auto found = exposition.families.find(family);
  if (found == exposition.families.end()) return -1;
  for (const Sample& candidate : found->second.samples) {
    if (candidate.name == sample && candidate.labels == labels) return candidate.value;
  }
  return -1;
}
double value_of(const Exposition& exposition, const std::string& name, const Labels& labels = {}) {
  return value_of(exposition, name, name, labels);
}

SchedulerMetrics::Options options() {
  return {.version = "1.2.3", .lease = "tutti", .api_host = "10.0.0.1:6443"};
}

void call_everything(SchedulerMetrics& metrics) {
  const auto profile = metrics.profile("tutti");
  metrics.pod_attempted(profile, PodResult::scheduled, Seconds(0.003));
  metrics.pod_algorithm_ran(Seconds(0.0001));
  metrics.group_attempted(profile, GroupResult::waiting_on_preemption, Seconds(0.2));
  metrics.group_algorithm_ran(Seconds(0.02));
  metrics.set_pending({.active = 1, .backoff = 2, .unschedulable = 3, .gated = 4, .incomplete = 5});
  metrics.set_cache_size({.nodes = 10, .pods = 20, .assumed_pods = 3});
  metrics.set_leading(true);
  metrics.request_finished("POST", 201, Seconds(0.01));
  metrics.set_bindings_in_flight(7);
  metrics.binding_finished(BindingResult::conflict, Seconds(0.005));
  metrics.gang_taken_back();
  metrics.watch_restarted("pods");
  metrics.event_dropped();
  metrics.loop_ran(Seconds(0.25));
}

TEST(Metrics, haveTheseNamesTypesAndLabels) {
  SchedulerMetrics metrics(options());
  call_everything(metrics);
  const std::vector<std::string> golden = {
      "leader_election_master_status gauge name",
      "process_cpu_seconds_total counter",
      "process_max_fds gauge",
      "process_open_fds gauge",
      "process_resident_memory_bytes gauge",
      "process_start_time_seconds gauge",
      "process_virtual_memory_bytes gauge",
      "rest_client_request_duration_seconds histogram host verb",
      "rest_client_requests_total counter code host method",
      "scheduler_cache_size gauge type",
      "scheduler_pending_pods gauge queue",
      "scheduler_podgroup_schedule_attempts_total counter profile result",
      "scheduler_podgroup_scheduling_algorithm_duration_seconds histogram",
      "scheduler_podgroup_scheduling_attempt_duration_seconds histogram profile result",
      "scheduler_schedule_attempts_total counter profile result",
      "scheduler_scheduling_algorithm_duration_seconds histogram",
      "scheduler_scheduling_attempt_duration_seconds histogram profile result",
      "tutti_binding_duration_seconds histogram",
      "tutti_bindings_in_flight gauge",
      "tutti_bindings_total counter result",
      "tutti_build_info gauge version",
      "tutti_events_dropped_total counter",
      "tutti_gangs_taken_back_total counter",
      "tutti_loop_busy_seconds_total counter",
      "tutti_loop_turn_duration_seconds histogram",
      "tutti_watch_restarts_total counter resource",
  };
  const Exposition exposition = read_and_check(metrics.text(ProcessFigures{}));
  EXPECT_EQ(exposition.problems, std::vector<std::string>{});
  EXPECT_EQ(outline(exposition), golden);
}

TEST(Metrics, sayWhatTheyWereTold) {
  SchedulerMetrics metrics(options());
  call_everything(metrics);
  const Exposition read = read_and_check(metrics.text(ProcessFigures{.cpu_seconds = 1.5}));
  EXPECT_EQ(value_of(read, "scheduler_schedule_attempts_total",
                     {{"result", "scheduled"}, {"profile", "tutti"}}),
            1);
  EXPECT_EQ(value_of(read, "scheduler_schedule_attempts_total",
                     {{"result", "error"}, {"profile", "tutti"}}),
            0);
  EXPECT_EQ(value_of(read, "scheduler_podgroup_schedule_attempts_total",
                     {{"result", "waiting_on_preemption"}, {"profile", "tutti"}}),
            1);
  EXPECT_EQ(value_of(read, "scheduler_pending_pods", {{"queue", "gated"}}), 4);
  EXPECT_EQ(value_of(read, "scheduler_pending_pods", {{"queue", "incomplete"}}), 5);
  EXPECT_EQ(value_of(read, "scheduler_cache_size", {{"type", "assumed_pods"}}), 3);
  EXPECT_EQ(value_of(read, "leader_election_master_status", {{"name", "tutti"}}), 1);
  EXPECT_EQ(value_of(read, "tutti_bindings_total", {{"result", "conflict"}}), 1);
  EXPECT_EQ(value_of(read, "tutti_watch_restarts_total", {{"resource", "pods"}}), 1);
  EXPECT_EQ(value_of(read, "tutti_loop_busy_seconds_total"), 0.25);
  EXPECT_EQ(value_of(read, "tutti_build_info", {{"version", "1.2.3"}}), 1);
  EXPECT_EQ(value_of(read, "process_cpu_seconds_total"), 1.5);
}

TEST(Metrics, sortDurationsIntoKubeSchedulersBuckets) {
  SchedulerMetrics metrics(options());
  metrics.pod_algorithm_ran(Seconds(0.003));
  const Exposition read = read_and_check(metrics.text(std::nullopt));
  const std::string name = "scheduler_scheduling_algorithm_duration_seconds";
  EXPECT_EQ(value_of(read, name, name + "_bucket", {{"le", "0.001"}}), 0);
  EXPECT_EQ(value_of(read, name, name + "_bucket", {{"le", "0.002"}}), 0);
  EXPECT_EQ(value_of(read, name, name + "_bucket", {{"le", "0.004"}}), 1);
  EXPECT_EQ(value_of(read, name, name + "_bucket", {{"le", "16.384"}}), 1);
  EXPECT_EQ(value_of(read, name, name + "_count", {}), 1);
  EXPECT_DOUBLE_EQ(value_of(read, name, name + "_sum", {}), 0.003);
}

TEST(Metrics, countRequestsByCodeAndTellNoAnswerApart) {
  SchedulerMetrics metrics(options());
  metrics.request_finished("GET", 200, Seconds(0.01));
  metrics.request_finished("GET", 200, Seconds(0.01));
  metrics.request_finished("GET", 410, Seconds(0.01));
  metrics.request_finished("POST", 0, Seconds(30));
  const Exposition read = read_and_check(metrics.text(std::nullopt));
  const auto count = [&](const std::string& code, const std::string& method) {
    return value_of(read, "rest_client_requests_total",
                    {{"code", code}, {"method", method}, {"host", "10.0.0.1:6443"}});
  };
  EXPECT_EQ(count("200", "GET"), 2);
  EXPECT_EQ(count("410", "GET"), 1);
  EXPECT_EQ(count("<error>", "POST"), 1);
}

TEST(Metrics, giveEachProfileItsOwnSeriesOnce) {
  SchedulerMetrics metrics(options());
  const auto first = metrics.profile("tutti");
  const auto second = metrics.profile("gpu \"quoted\"");
  EXPECT_EQ(metrics.profile("tutti").index, first.index);
  EXPECT_NE(second.index, first.index);
  metrics.pod_attempted(second, PodResult::unschedulable, Seconds(0));
  const Exposition read = read_and_check(metrics.text(std::nullopt));
  EXPECT_EQ(read.problems, std::vector<std::string>{});
  EXPECT_EQ(value_of(read, "scheduler_schedule_attempts_total",
                     {{"result", "unschedulable"}, {"profile", R"(gpu \"quoted\")"}}),
            1);
}

TEST(Metrics, leaveOutWhatDoesNotApplyOrWasNeverTold) {
  SchedulerMetrics metrics({.version = "1", .lease = "", .api_host = ""});
  const Exposition read = read_and_check(metrics.text(std::nullopt));
  EXPECT_EQ(read.problems, std::vector<std::string>{});
  EXPECT_EQ(read.families.count("leader_election_master_status"), 0U);
  EXPECT_EQ(read.families.count("process_cpu_seconds_total"), 0U);
  EXPECT_EQ(read.families.count("rest_client_requests_total"), 0U);
  EXPECT_EQ(read.families.count("scheduler_pending_pods"), 0U) << "nobody said how many";
  EXPECT_EQ(read.families.count("scheduler_cache_size"), 0U);
}

}  // namespace
}  // namespace tutti::telemetry
