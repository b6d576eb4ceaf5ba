// Commands that read a whole cluster, against an API server that has one: a night's Job runs on the
// only node and a pod waits behind it. The night before the same Job took ten minutes.
#include "cli/input/cluster_reading.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/test_server.h"
#include "support/temp_folder.h"

namespace tutti::cli {
namespace {

using std::chrono::minutes;

// Counted back from its first call.
std::string ago(std::chrono::seconds by) {
  static const auto now =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now - by)));
}

// Not to be told from the name.
std::string uid_of(const std::string& name) {
  return fmt::to_string(std::hash<std::string>()(name));
}

std::string owned_by(const std::string& kind, const std::string& name) {
  return fmt::format(R"("ownerReferences":[{{"apiVersion":"batch/v1","kind":"{}","name":"{}",)"
                     R"("uid":"{}","controller":true}}])",
                     kind, name, uid_of(name));
}

const char* const kPodSpec = R"("restartPolicy":"Never","containers":[{"name":"c",)"
                             R"("image":"corp/app:1","resources":{"requests":{"cpu":"4"}}}])";

std::string job(const std::string& name, const std::string& status) {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}","namespace":"t","uid":"{5}","creationTimestamp":"{1}",{2}}},)"
      R"("spec":{{"parallelism":1,"completions":1,"backoffLimit":6,"selector":{{"matchLabels":)"
      R"({{"job-name":"{0}"}}}},"template":{{"metadata":{{"labels":{{"job-name":"{0}"}}}},)"
      R"("spec":{{{3}}}}}}},"status":{4}}})",
      name, ago(minutes(2000)), owned_by("CronJob", "nightly"), kPodSpec, status, uid_of(name));
}

std::string pod(const std::string& name, const std::string& meta, const std::string& spec,
                const std::string& status) {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}","namespace":"t","uid":"{6}","creationTimestamp":"{1}"{2}}},)"
      R"("spec":{{{3}{4}}},"status":{5}}})",
      name, ago(minutes(6)), meta, kPodSpec, spec, status, uid_of(name));
}

// By plural; what is not here is empty.
std::map<std::string, std::string> objects() {
  const std::string ended = fmt::format(R"({{"startTime":"{}","completionTime":"{}","succeeded":1,)"
                                        R"("conditions":[{{"type":"Complete","status":"True"}}]}})",
                                        ago(minutes(1500)), ago(minutes(1490)));
  const std::string runs = fmt::format(R"({{"startTime":"{}","active":1}})", ago(minutes(6)));
  return {
      {"nodes", R"({"metadata":{"name":"n1","uid":"uid-n1"},"status":{"allocatable":)"
                R"({"cpu":"4","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}})"},
      {"priorityclasses",
       R"({"metadata":{"name":"patient"},"value":10,"preemptionPolicy":"Never"})"},
      {"jobs", job("nightly-1", ended) + "," + job("nightly-2", runs)},
      {"pods", pod("nightly-2-x",
                   "," + owned_by("Job", "nightly-2") + R"(,"labels":{"job-name":"nightly-2"})",
                   R"(,"nodeName":"n1")",
                   fmt::format(R"({{"phase":"Running","startTime":"{}"}})",
                               ago(std::chrono::seconds(330)))) +
                   "," + pod("waits", "", "", R"({"phase":"Pending"})")},
  };
}

net::ServerResponse reading_server(const net::ServerRequest& request) {
  if (request.target == "/version") {
    return {.body = R"({"major":"1","minor":"36","gitVersion":"v1.36.0"})"};
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (request.target.find("limit=") == std::string::npos) return failure(404, "not found");
  const std::string plural = path.substr(path.rfind('/') + 1);
  const bool of_ended_pods = request.target.find("phase%3DSucceeded") != std::string::npos;
  return {.body = fmt::format(R"({{"metadata":{{"resourceVersion":"7"}},"items":[{}]}})",
                              of_ended_pods ? "" : objects()[plural])};
}

net::ServerResponse without_jobs(const net::ServerRequest& request) {
  if (request.target.starts_with("/apis/batch/v1/jobs")) {
    return failure(403, "jobs.batch is forbidden");
  }
  return reading_server(request);
}

const char* const kEstimate = "an estimate: earlier Jobs of CronJob t/nightly ran 10m0s";

class ClusterReadingTest : public testing::Test {
 protected:
  Outcome ask(StubServer& server, std::vector<std::string> words) {
    words.insert(words.end(), {"--kubeconfig", write_kubeconfig(folder_, server)});
    return tutti(words);
  }

  test::TempFolder folder_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ClusterReadingTest, knowsEarlierJobsBesideThoseThatRun) {
  StubServer server(reading_server);
  const Outcome verdict = ask(server, {"explain", "pod/waits", "-n", "t", "--live"});
  EXPECT_EQ(verdict.code, ExitCode::done) << verdict.err;
  EXPECT_TRUE(has(verdict.err, "2 jobs\n")) << verdict.err;
  EXPECT_TRUE(has(verdict.out, "next     in 4m")) << verdict.out;
  EXPECT_TRUE(has(verdict.out, kEstimate)) << verdict.out;

  const std::string work = folder_.write("work.json", R"({"apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"new","namespace":"t"},"spec":{"priorityClassName":"patient",
    "containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}})");
  const Outcome plan = ask(server, {"plan", "-f", work, "--live"});
  EXPECT_TRUE(has(plan.out, "Pod t/new  in 4m") && has(plan.out, kEstimate)) << plan.out;
}

TEST_F(ClusterReadingTest, isTheSameFromASnapshotWithOrWithoutNames) {
  StubServer server(reading_server);
  const Outcome taken = ask(server, {"snapshot"});
  ASSERT_EQ(taken.code, ExitCode::done) << taken.err;
  const std::string copy = folder_.write("snapshot.yaml", taken.out);
  const Outcome verdict = tutti({"explain", "pod/waits", "-n", "t", "-f", copy});
  EXPECT_TRUE(has(verdict.out, kEstimate)) << verdict.out << verdict.err;
  const Outcome run = tutti({"run", "-f", copy});
  EXPECT_TRUE(has(run.out, "1 workload (1 Running), 1 lone pod"))
      << "no pod is made twice: " << run.out;
  const Outcome plan = tutti({"plan", "-f", copy});
  EXPECT_TRUE(has(plan.out, "(estimate)") && has(plan.out, kEstimate)) << plan.out;

  const Outcome hashed = ask(server, {"snapshot", "--hash-names"});
  for (const char* name : {"nightly", "waits", "corp"}) EXPECT_FALSE(has(hashed.out, name)) << name;
  const Outcome foretold = tutti({"plan", "-f", folder_.write("hashed.yaml", hashed.out)});
  EXPECT_TRUE(has(foretold.out, "an estimate: earlier Jobs of CronJob x-")) << foretold.out;
}

TEST_F(ClusterReadingTest, goesOnWithoutJobsWhereTheyMayNotBeRead) {
  StubServer server(without_jobs);
  const Outcome taken = ask(server, {"snapshot"});
  EXPECT_EQ(taken.code, ExitCode::done) << taken.err;
  EXPECT_TRUE(has(taken.err, "note: goes on without jobs: jobs.batch is forbidden")) << taken.err;
  EXPECT_FALSE(has(taken.out, "completionTime"));
  const Outcome verdict = ask(server, {"explain", "pod/waits", "-n", "t", "--live"});
  EXPECT_TRUE(has(verdict.out, "next     unknown")) << verdict.out << verdict.err;
}

}  // namespace
}  // namespace tutti::cli
