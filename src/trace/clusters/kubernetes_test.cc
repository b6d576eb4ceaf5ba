#include <gtest/gtest.h>

#include <algorithm>

#include "trace/clusters/sources.h"

namespace tutti::trace {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

ReadOptions reading_objects() {
  ReadOptions options;
  options.sources = cluster_sources();
  return options;
}

// A pod of the first day of 2026; times are minutes of its first hour, negative: none.
std::string pod(const std::string& name, int created, int started, int ended,
                const std::string& meta = "", const std::string& spec = "") {
  const auto time = [](int minute) {
    return "\"2026-01-01T00:" + std::string(minute < 10 ? "0" : "") + std::to_string(minute) +
           ":00Z\"";
  };
  std::string status = R"("phase": "Pending")";
  if (started >= 0 && ended < 0) {
    status = R"("phase": "Running", "containerStatuses": [{"name": "c", "state": {"running": )"
             R"({"startedAt": )" +
             time(started) + "}}}]";
  }
  if (ended >= 0) {
    status = R"("phase": "Succeeded", "containerStatuses": [{"name": "c", "state": {"terminated": )"
             R"({"startedAt": )" +
             time(started) + R"(, "finishedAt": )" + time(ended) + "}}}]";
  }
  return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name +
         R"(", "namespace": "ml", "creationTimestamp": )" + time(created) + meta +
         R"(}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": )"
         R"({"cpu": "4", "memory": "1Gi", "nvidia.com/gpu": "2"}, "limits": {"nvidia.com/gpu": "2"}}}])" +
         spec + R"(}, "status": {)" + status + "}}";
}

std::string list_of(const std::vector<std::string>& items) {
  std::string text = "{\n\"apiVersion\": \"v1\",\n\"items\": [\n";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? ",\n" : "") + items[i];
  return text + "\n],\n\"kind\": \"List\"\n}\n";
}

Trace pods_of(const std::vector<std::string>& items, ReadOptions options = reading_objects()) {
  Result<Trace> read = read_trace({{"pods.json", list_of(items)}}, options);
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read.ok() ? *std::move(read) : Trace{};
}

const std::string kGang = R"(, "labels": {"scheduling.x-k8s.io/pod-group": "g"})";

TEST(KubernetesPods, becomeJobsWithWhatTheyAskFor) {
  const Trace trace =
      pods_of({pod("a", 0, 1, 11, R"(, "labels": {"kueue.x-k8s.io/queue-name": "q"})",
                   R"(, "priority": 7, "nodeSelector": {"nvidia.com/gpu.product": "H100"})")});
  ASSERT_EQ(trace.jobs.size(), 1U);
  const Job& job = trace.jobs[0];
  EXPECT_EQ(job.id, "ml/a");
  EXPECT_EQ(job.milli_cpu, 4000);
  EXPECT_EQ(job.memory, std::int64_t{1} << 30);
  EXPECT_EQ(job.gpu_milli, 2000);
  EXPECT_EQ(job.models, std::vector<std::string>{"H100"});
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.priority, 7);
  EXPECT_EQ(job.observed_start, minutes(1));
  EXPECT_EQ(job.duration, minutes(10));
  EXPECT_EQ(trace.inputs[0].format, "kubernetes");
}

TEST(KubernetesPods, ofOneGangAreOneJobAndLaterOnesItsNextAttempt) {
  const Trace trace = pods_of(
      {pod("g-0", 0, 2, 10, kGang), pod("g-1", 1, 3, 9, kGang), pod("g-2", 20, 21, 30, kGang)});
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, "ml/g");
  EXPECT_EQ(trace.jobs[0].replicas, 2);
  EXPECT_EQ(trace.jobs[0].duration, minutes(7));  // while all of it ran, and until its last end
  EXPECT_EQ(trace.jobs[1].id, "ml/g#2");
  EXPECT_EQ(trace.jobs[1].replicas, 1);
}

TEST(KubernetesPods, ofOneJobAreAGangWhereTheProductSaysSo) {
  const std::string owner =
      R"(, "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}])";
  const std::string indexed =
      owner + R"(, "labels": {"batch.kubernetes.io/job-completion-index": "0"})";
  struct Case {
    std::string meta;
    const char* job;
    std::size_t jobs;
  };
  const char* const parallel =
      R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "ml"},
      "spec": {"parallelism": 2, "completions": 9, "completionMode": "Indexed"}})";
  const char* const whole =
      R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "ml"},
      "spec": {"parallelism": 2, "completions": 2, "completionMode": "Indexed"}})";
  const Case cases[] = {
      {owner, "", 2}, {indexed, "", 1}, {indexed, parallel, 2}, {owner, whole, 1}};
  for (const Case& each : cases) {
    std::vector<std::string> items = {pod("j-0", 0, 1, 5, each.meta),
                                      pod("j-1", 0, 1, 5, each.meta)};
    if (*each.job != '\0') items.emplace_back(each.job);
    EXPECT_EQ(pods_of(items).jobs.size(), each.jobs) << each.meta << each.job;
  }
}

TEST(KubernetesPods, thatHadNotEndedAreTreatedAsAsked) {
  const std::vector<std::string> items = {pod("runs", 0, 5, -1), pod("waits", 1, -1, -1),
                                          pod("done", 0, 1, 15)};
  ReadOptions options = reading_objects();
  const Trace censored = pods_of(items, options);
  EXPECT_EQ(censored.jobs.size(), 3U);
  EXPECT_EQ(censored.invented, (Counts{{"duration: for ever, of pods that had not ended", 2}}));
  options.unfinished = Unfinished::elapsed;
  const Trace elapsed = pods_of(items, options);
  ASSERT_EQ(elapsed.jobs.size(), 2U);
  const auto runs = std::ranges::find(elapsed.jobs, "ml/runs", &Job::id);
  ASSERT_NE(runs, elapsed.jobs.end());
  EXPECT_EQ(runs->duration, minutes(10));  // up to the last time that the file knows
  EXPECT_EQ(elapsed.dropped, (Counts{{"not ended", 1}}));
}

TEST(KubernetesPods, thatComeWithTheirNodeAreDroppedAndCounted) {
  const Trace trace = pods_of(
      {pod("d", 0, 1, -1,
           R"(, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u"}])"),
       pod("a", 0, 1, 2)});
  EXPECT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.dropped, (Counts{{"pods of DaemonSets", 1}}));
}

TEST(KubernetesPods, refusesWhatIsNoPodWithItsLineOrCountsIt) {
  const std::string bad =
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}, "spec": {}})";
  const std::string text = list_of({pod("a", 0, 1, 2), bad});
  const auto strict = read_trace({{"pods.json", text}}, reading_objects());
  ASSERT_FALSE(strict.ok());
  EXPECT_TRUE(strict.error().message.starts_with("pods.json:5: Pod")) << strict.error().message;
  ReadOptions lenient = reading_objects();
  lenient.skip_bad_rows = true;
  const Trace skipped = pods_of({pod("a", 0, 1, 2), bad}, lenient);
  EXPECT_EQ(skipped.jobs.size(), 1U);
  EXPECT_EQ(skipped.inputs[0].skipped, 1U);
}

TEST(KubernetesNodes, offerWhatIsAllocatableAndLieWhereTheirLabelsSay) {
  const auto list = read_nodes(
      {{"nodes.json", list_of({R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1",
        "labels": {"nvidia.com/gpu.product": "H100", "topology.kubernetes.io/zone": "z1",
        "cloud.provider.com/topology-rack": "r7"}}, "status": {"allocatable": {"cpu": "7910m",
        "memory": "30Gi", "pods": "58", "nvidia.com/gpu": "8", "rdma/hca": "4"}}})"})}},
      reading_objects());
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list->nodes.size(), 1U);
  const Node& node = list->nodes[0];
  EXPECT_EQ(node.milli_cpu, 7910);
  EXPECT_EQ(node.pods, 58);
  EXPECT_EQ(node.gpus, 8);
  EXPECT_EQ(node.model, "H100");
  using Amounts = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(node.extra, (Amounts{{"rdma/hca", 4}}));
  using Levels = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(node.levels, (Levels{{"topology-rack", "r7"}, {"zone", "z1"}}));
}

std::string series(const std::string& metric, const std::string& labels, double value,
                   const std::vector<int>& seen) {
  std::string text = R"({"metric": {"__name__": ")" + metric + "\", " + labels + "}, \"values\": [";
  for (std::size_t i = 0; i < seen.size(); ++i) {
    text +=
        (i > 0 ? ", [" : "[") + std::to_string(seen[i]) + ", \"" + std::to_string(value) + "\"]";
  }
  return text + "]}";
}

std::string answer(const std::vector<std::string>& all) {
  std::string text = R"({"status": "success", "data": {"resultType": "matrix", "result": [)";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i > 0 ? ", " : "") + all[i];
  return text + "]}}";
}

TEST(Prometheus, joinsItsMetricsByPod) {
  const std::string a = R"("namespace": "ml", "pod": "a", "uid": "1")";
  const std::string b = R"("namespace": "ml", "pod": "b", "uid": "2")";
  const std::vector<int> all = {1000, 1060, 1120, 1180};
  const auto read = read_trace(
      {{"created.json", answer({series("kube_pod_created", a, 900, all),
                                series("kube_pod_created", b, 1000, {1000, 1060})})},
       {"start.json", answer({series("kube_pod_start_time", a, 950, all),
                              series("kube_pod_start_time", b, 1010, {1060})})},
       {"end.json", answer({series("kube_pod_completion_time", a, 1150, {1180})})},
       {"requests.json",
        answer({series("kube_pod_container_resource_requests",
                       a + R"(, "container": "x", "resource": "cpu", "unit": "core")", 1.5, all),
                series("kube_pod_container_resource_requests",
                       a + R"(, "container": "y", "resource": "cpu", "unit": "core")", 0.5, all),
                series("kube_pod_container_resource_requests",
                       b + R"(, "container": "x", "resource": "nvidia_com_gpu")", 2, {1000})})}},
      reading_objects());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->jobs.size(), 2U);
  EXPECT_EQ(read->jobs[0].id, "ml/a");
  EXPECT_EQ(read->jobs[0].milli_cpu, 2000);
  EXPECT_EQ(read->jobs[0].duration, seconds(200));
  EXPECT_EQ(read->jobs[1].gpu_milli, 2000);
  EXPECT_EQ(read->jobs[1].duration, seconds(50));  // to its last sample
  EXPECT_EQ(read->invented, (Counts{{"end: the last sample, of pods that were deleted", 1}}));
  ASSERT_EQ(read->notes.size(), 1U);
}

TEST(Prometheus, refusesWhatIsNoAnswer) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {R"({"status": "success", "data": {"resultType": "matrix", "result": []}})",
       "f: expected a series of kube_pod_created, found none"},
      {R"({"status": "error", "data": {"resultType": "x"}})",
       "f:1: Prometheus answered with an error"},
      {R"({"status": "success", "data": {"resultType": "x"}})",
       "f:1: expected an answer of /api/v1/query_range: data.result"},
      {R"({"status": "success", "data": {"resultType": "x", "result": [{"metric": {}, "values": [[1]]}]}})",
       "f:1: expected [time, \"number\"]"},
  };
  for (const Case& each : cases) {
    const auto read = read_trace({{"f", each.text}}, reading_objects());
    ASSERT_FALSE(read.ok()) << each.text;
    EXPECT_EQ(read.error().message, each.problem) << each.text;
  }
}

}  // namespace
}  // namespace tutti::trace
