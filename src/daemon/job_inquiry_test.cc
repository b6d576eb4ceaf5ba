#include "daemon/job_inquiry.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::daemon {
namespace {

const std::string kJobPath = "/apis/batch/v1/namespaces/ml/jobs/train";
const std::string kGroupPath = "/apis/kueue.x-k8s.io";
const std::string kListPath =
    "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads?labelSelector=kueue.x-k8s.io%2Fjob-uid%3D"
    "u1";

kube::Answer answer(int status, std::string body, std::string message) {
  kube::Answer made;
  made.status = status;
  made.body = std::move(body);
  made.message = std::move(message);
  return made;
}

// An API server that answers by path, and 404 to everything else.
struct Server {
  std::map<std::string, kube::Answer> answers;
  std::vector<std::string> asked;

  void has(const std::string& path, std::string body) {
    answers[path] = answer(200, std::move(body), {});
  }
  void refuses(const std::string& path, int status, std::string message) {
    answers[path] = answer(status, {}, std::move(message));
  }
  JobFinding ask() {
    JobFinding found;
    inquire_job(
        [this](const std::string& path, const kube::AnswerHandler& handler) {
          asked.push_back(path);
          const auto at = answers.find(path);
          handler(at == answers.end() ? answer(404, {}, "not found") : at->second);
        },
        "ml", "train", [&](JobFinding finding) { found = std::move(finding); });
    return found;
  }
};

std::string job(const std::string& labels, bool suspend) {
  return R"({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", )"
         R"("namespace": "ml", "uid": "u1", "labels": {)" +
         labels + R"(}}, "spec": {"suspend": )" + (suspend ? "true" : "false") +
         R"(, "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}})";
}

const std::string kQueued = R"("kueue.x-k8s.io/queue-name": "team-a")";
const std::string kVersions =
    R"({"kind": "APIGroup", "preferredVersion": {"groupVersion": "kueue.x-k8s.io/v1beta2"}})";

std::string workloads(const std::string& conditions) {
  return R"({"items": [{"metadata": {"name": "job-train-1", "ownerReferences": )"
         R"([{"kind": "Job", "name": "train"}]}, "status": {"conditions": [)" +
         conditions + "]}}]}";
}

Server held_by_kueue() {
  Server server;
  server.has(kJobPath, job(kQueued, true));
  server.has(kGroupPath, kVersions);
  return server;
}

TEST(JobInquiry, saysWhatKueueSaysOfAJobWithoutQuota) {
  Server server = held_by_kueue();
  server.has(kListPath,
             workloads(R"({"type": "QuotaReserved", "status": "False", "reason": "Pending", )"
                       R"("message": "insufficient quota for nvidia.com/gpu, 8 more needed"})"));
  const auto found = server.ask();
  ASSERT_TRUE(found.verdict);
  EXPECT_EQ(found.verdict->object, (explain::ObjectName{"Job", "ml", "train"}));
  EXPECT_EQ(found.verdict->state, explain::State::held);
  EXPECT_EQ(found.verdict->blocker, explain::Blocker::quota);
  EXPECT_EQ(found.verdict->summary,
            "suspended: Kueue holds it in queue team-a; Workload job-train-1: QuotaReserved is "
            "False (Pending): insufficient quota for nvidia.com/gpu, 8 more needed");
}

TEST(JobInquiry, saysThatKueueEvictedIt) {
  Server server = held_by_kueue();
  server.has(kListPath,
             workloads(R"({"type": "Evicted", "status": "True", "reason": "Preempted", )"
                       R"("message": "to make room"}, {"type": "QuotaReserved", )"
                       R"("status": "False", "reason": "Pending", "message": "waits"})"));
  EXPECT_EQ(server.ask().verdict->summary,
            "suspended: Kueue holds it in queue team-a; Workload job-train-1: Evicted is True "
            "(Preempted): to make room; QuotaReserved is False (Pending): waits");
}

TEST(JobInquiry, saysWhatItWasNotAllowedToRead) {
  Server server = held_by_kueue();
  server.refuses(kListPath, 403, "workloads is forbidden");
  EXPECT_EQ(server.ask().verdict->summary,
            "suspended: Kueue holds it in queue team-a; Kueue's Workload could not be read: "
            "workloads is forbidden");
  server.refuses(kJobPath, 403, "jobs is forbidden");
  const auto found = server.ask();
  EXPECT_FALSE(found.verdict);
  EXPECT_EQ(found.trouble, "the Job could not be read: jobs is forbidden");
}

TEST(JobInquiry, saysThatThereIsNoKueue) {
  Server server = held_by_kueue();
  server.answers.erase(kGroupPath);
  EXPECT_EQ(server.ask().verdict->summary,
            "suspended: Kueue holds it in queue team-a; this cluster serves no kueue.x-k8s.io: "
            "nobody will resume it");
}

TEST(JobInquiry, saysThatKueueHasNotComeToIt) {
  Server server = held_by_kueue();
  server.has(kListPath, R"({"items": []})");
  EXPECT_EQ(server.ask().verdict->summary,
            "suspended: Kueue holds it in queue team-a; Kueue has made no Workload for it yet");
}

TEST(JobInquiry, asksKueueNothingAboutOtherJobs) {
  Server server;
  server.has(kJobPath, job("", true));
  EXPECT_EQ(server.ask().verdict->summary,
            "suspended: its pods are made when spec.suspend is false");
  server.has(kJobPath, job(kQueued, false));
  EXPECT_EQ(server.ask().verdict->blocker, explain::Blocker::incomplete);
  EXPECT_EQ(server.asked, (std::vector<std::string>{kJobPath, kJobPath}));
}

TEST(JobInquiry, knowsNoJobThatIsNotThere) {
  Server server;
  const auto found = server.ask();
  EXPECT_FALSE(found.verdict);
  EXPECT_EQ(found.trouble, "");
}

}  // namespace
}  // namespace tutti::daemon
