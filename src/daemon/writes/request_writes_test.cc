#include "daemon/writes/request_writes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "daemon/writes/queue_bodies.h"
#include "daemon/writes/queue_status_writes.h"
#include "model/quota.h"

namespace tutti::daemon {
namespace {

model::Condition said(std::string type, std::string reason) {
  return {.type = std::move(type),
          .status = "True",
          .reason = std::move(reason),
          .message = {},
          .last_transition = Instant{Millis{0}},
          .observed_generation = 0};
}

std::shared_ptr<model::AdmissionRequest> request_at(std::uint64_t version) {
  auto made = std::make_shared<model::AdmissionRequest>();
  made->api_version = "kueue.x-k8s.io/v1beta2";
  made->meta.ns = "t";
  made->meta.name = "r";
  made->meta.uid = "u";
  made->meta.resource_version = version;
  return made;
}

std::shared_ptr<model::AdmissionRequest> admitted_at(std::uint64_t version) {
  auto made = request_at(version);
  made->status.conditions.push_back(said("QuotaReserved", "QuotaReserved"));
  made->status.admission = model::Admission{.cluster_queue = "q", .pod_sets = {}};
  return made;
}

const model::AdmissionRequest& seen_as(const model::ObjectPtr& object) {
  return model::as<model::AdmissionRequest>(*object);
}

// Keeps calls and timers until the test answers them.
class RequestWritesTest : public testing::Test {
 protected:
  struct Open {
    kube::Call call;
    kube::AnswerHandler handler;
  };
  void answer(int status, const std::string& body = {}) {
    const Open next = std::move(calls.front());
    calls.erase(calls.begin());
    kube::Answer made;
    made.status = status;
    made.body = body;
    made.message = "no";
    next.handler(made);
  }
  static std::string at_version(int version) {
    return R"({"metadata":{"resourceVersion":")" + std::to_string(version) + R"("}})";
  }
  void ring() {
    auto due = std::exchange(timers, {});
    for (const auto& task : due) task();
  }

  std::vector<Open> calls;
  std::vector<std::function<void()>> timers;
  std::vector<std::string> complaints;
  RequestWrites writes{
      {[this](kube::Call call, kube::AnswerHandler handler) {
         calls.push_back({std::move(call), std::move(handler)});
       },
       [this](Millis, std::function<void()> task) {
         timers.push_back(std::move(task));
         return net::Timer();
       },
       [this](const std::string& what, const kube::Answer&) { complaints.push_back(what); }}};
};

TEST_F(RequestWritesTest, writesAdmissionAndConditionsInOnePatch) {
  writes.write(admitted_at(5));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].call.method, "PATCH");
  EXPECT_EQ(calls[0].call.path, "/apis/kueue.x-k8s.io/v1beta2/namespaces/t/workloads/r/status");
  EXPECT_EQ(calls[0].call.content_type, "application/merge-patch+json");
  EXPECT_EQ(calls[0].call.body,
            R"({"metadata":{"uid":"u","resourceVersion":"5"},"status":{)"
            R"("admission":{"clusterQueue":"q"},)"
            R"("conditions":[{"lastTransitionTime":"1970-01-01T00:00:00Z","message":"",)"
            R"("reason":"QuotaReserved","status":"True","type":"QuotaReserved"}],)"
            R"("admissionChecks":null,"requeueState":null,"schedulingStats":null}})");
}

TEST_F(RequestWritesTest, showsTheSchedulerWhatItWroteUntilThatComesBack) {
  EXPECT_EQ(writes.seen(request_at(5))->meta.resource_version, 5U);
  writes.write(admitted_at(5));
  auto ready = request_at(6);
  ready->status.conditions.push_back(said("PodsReady", "Started"));
  const auto between = writes.seen(ready);
  EXPECT_TRUE(model::has_condition(seen_as(between), "PodsReady"));
  EXPECT_TRUE(model::has_condition(seen_as(between), "QuotaReserved"));
  answer(409);
  ring();
  EXPECT_EQ(calls.at(0).call.method, "GET");
  answer(200, R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"r",)"
              R"("namespace":"t","uid":"u","resourceVersion":"6"},"spec":{"podSets":[]},)"
              R"("status":{"conditions":[{"type":"PodsReady","status":"True","reason":"Started",)"
              R"("message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_NE(calls[0].call.body.find(R"("resourceVersion":"6")"), std::string::npos);
  EXPECT_NE(calls[0].call.body.find("PodsReady"), std::string::npos);
  answer(200, at_version(7));
  EXPECT_TRUE(writes.idle());
  EXPECT_TRUE(model::has_condition(seen_as(writes.seen(ready)), "QuotaReserved"))
      << "older than what was stored";
  auto echo = admitted_at(7);
  EXPECT_EQ(writes.seen(echo), echo);
  auto taken = request_at(8);
  EXPECT_EQ(writes.seen(taken), taken) << "somebody took it away";
}

TEST_F(RequestWritesTest, sendsOfWhatWasWantedMeanwhileTheLast) {
  writes.write(admitted_at(5));
  auto second = admitted_at(5);
  second->status.conditions.push_back(said("Evicted", "Preempted"));
  writes.write(second);
  auto third = request_at(5);
  third->status.conditions.push_back(said("Requeued", "Preempted"));
  writes.write(third);
  answer(200, at_version(6));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_NE(calls[0].call.body.find(R"("resourceVersion":"6")"), std::string::npos);
  EXPECT_NE(calls[0].call.body.find(R"("admission":null)"), std::string::npos);
  EXPECT_EQ(calls[0].call.body.find("Evicted"), std::string::npos);
  answer(200, at_version(7));
  EXPECT_TRUE(calls.empty());
  EXPECT_TRUE(writes.idle());
}

TEST_F(RequestWritesTest, keepsStatesOfChecksThatOthersWroteSince) {
  const auto with_checks = [](std::uint64_t version, model::CheckState budget) {
    auto made = request_at(version);
    for (const char* name : {"budget", "nodes"}) {
      model::AdmissionCheckState state;
      state.check = name;
      made->status.checks.push_back(state);
    }
    made->status.checks[0].state = budget;
    return made;
  };
  (void)writes.seen(with_checks(5, model::CheckState::pending));
  auto ours = with_checks(5, model::CheckState::pending);
  ours->status.checks[1].message = "Reset";
  writes.write(ours);
  const auto told = writes.seen(with_checks(6, model::CheckState::ready));
  EXPECT_EQ(seen_as(told).status.checks[0].state, model::CheckState::ready);
  EXPECT_EQ(seen_as(told).status.checks[1].message, "Reset");
}

TEST_F(RequestWritesTest, answersACheckAndLeavesTheRestToKueue) {
  auto asked = admitted_at(5);
  asked->status.checks.emplace_back().check = "places";
  (void)writes.seen(asked);
  auto answered = asked->status.checks[0];
  answered.state = model::CheckState::ready;
  writes.answer(asked, answered);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].call.body,
            R"({"metadata":{"uid":"u","resourceVersion":"5"},"status":{"admissionChecks":[)"
            R"({"message":"","name":"places","state":"Ready"}]}})");
}

TEST_F(RequestWritesTest, deactivatesBeforeItSaysWhy) {
  (void)writes.seen(request_at(5));
  auto ended = request_at(5);
  ended->spec.active = false;
  ended->status.conditions.push_back(said("Evicted", "Deactivated"));
  writes.write(ended);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].call.path, "/apis/kueue.x-k8s.io/v1beta2/namespaces/t/workloads/r");
  EXPECT_EQ(calls[0].call.body, R"({"metadata":{"uid":"u"},"spec":{"active":false}})");
  answer(200, at_version(6));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_NE(calls[0].call.body.find(R"("resourceVersion":"6")"), std::string::npos);
  EXPECT_NE(calls[0].call.body.find("Deactivated"), std::string::npos);
}

TEST_F(RequestWritesTest, forgetsWhatIsGoneAndComplainsOfWhatIsRefused) {
  writes.write(admitted_at(5));
  answer(404);
  EXPECT_TRUE(complaints.empty());
  writes.write(admitted_at(5));
  answer(422);
  EXPECT_EQ(complaints, (std::vector<std::string>{"write the status of Workload t/r"}));
  EXPECT_TRUE(writes.idle());
  writes.write(admitted_at(5));
  auto other = request_at(9);
  other->meta.uid = "another";
  EXPECT_EQ(writes.seen(other), other);
}

class QueueStatusWritesTest : public RequestWritesTest {
 protected:
  static std::shared_ptr<const model::ClusterQueue> queue_with(std::int32_t pending) {
    auto made = std::make_shared<model::ClusterQueue>();
    made->api_version = "kueue.x-k8s.io/v1beta2";
    made->meta.name = "q";
    made->meta.uid = "u";
    made->status.pending = pending;
    return made;
  }
  QueueStatusWrites statuses{
      {[this](kube::Call call, kube::AnswerHandler handler) {
         calls.push_back({std::move(call), std::move(handler)});
       },
       [this](Millis, std::function<void()> task) {
         timers.push_back(std::move(task));
         return net::Timer();
       },
       [this](const std::string& what, const kube::Answer&) { complaints.push_back(what); }}};
};

TEST_F(QueueStatusWritesTest, writesEachQueueOnceASecond) {
  statuses.write(queue_with(1));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].call.path, "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/q/status");
  EXPECT_EQ(calls[0].call.body, R"({"metadata":{"uid":"u"},"status":{"pendingWorkloads":1}})");
  statuses.write(queue_with(2));
  statuses.write(queue_with(3));
  EXPECT_EQ(calls.size(), 1U);
  answer(200);
  ring();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_NE(calls[0].call.body.find(R"("pendingWorkloads":3)"), std::string::npos);
  statuses.write(queue_with(4));
  statuses.write(queue_with(3));
  answer(200);
  ring();
  EXPECT_TRUE(calls.empty()) << "it says so already";
  ring();
  statuses.write(queue_with(3));
  EXPECT_EQ(calls.size(), 1U) << "somebody else may have written it since";
}

}  // namespace
}  // namespace tutti::daemon
