#include "upkeep/remote_cluster.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controllers/workloads/group_protection.h"
#include "controllers/workloads/stamping.h"
#include "model/group.h"
#include "model/job.h"
#include "model/pod.h"

namespace tutti::upkeep {
namespace {

using Type = kube::Change::Type;

// A server that keeps what it is asked until the test answers.
class RemoteClusterTest : public testing::Test {
 protected:
  RemoteClusterTest()
      : cluster(loop, "test",
                {[this](kube::Call call, kube::AnswerHandler handler) {
                   calls.emplace_back(std::move(call), std::move(handler));
                 },
                 [this] { return leads; },
                 [this](const std::string& line) { troubles.push_back(line); },
                 [this] { loop.stop(); }},
                Millis{1}) {}

  void show(const std::shared_ptr<model::Object>& object, Type type = Type::added) {
    object->meta.resource_version = ++version;
    cluster.observe({type, object});
  }
  template <typename... Controllers>
  void work(Controllers&... controllers) {
    for (const auto& change : cluster.take_changes()) (controllers.observe(change), ...);
    (controllers.work(), ...);
  }
  void answer(int status) {
    kube::Answer made;
    made.status = status;
    auto call = std::move(calls.front());
    calls.erase(calls.begin());
    call.second(made);
  }
  std::string next_call() const {
    return calls.empty() ? "none" : calls.front().first.method + " " + calls.front().first.path;
  }

  static std::shared_ptr<model::Workload> workload() {
    auto made = std::make_shared<model::Workload>();
    made->api_version = model::kSchedulingV1Beta1;
    made->meta.ns = "t";
    made->meta.name = "w";
    made->meta.uid = "w-uid";
    model::GroupTemplate form;
    form.name = "a";
    form.spec.policy = {true, 3};
    made->pod_groups.push_back(form);
    return made;
  }
  static std::shared_ptr<model::Pod> pod(const std::string& name, const std::string& group) {
    auto made = std::make_shared<model::Pod>();
    auto spec = std::make_shared<model::PodSpec>();
    spec->scheduling_group = group;
    made->api_version = "v1";
    made->spec = std::move(spec);
    made->meta.ns = "t";
    made->meta.name = name;
    made->meta.uid = name + "-uid";
    return made;
  }
  static std::shared_ptr<model::PodGroup> group(const std::string& name, bool deleted) {
    auto made = std::make_shared<model::PodGroup>();
    made->api_version = model::kSchedulingV1Beta1;
    made->meta.ns = "t";
    made->meta.name = name;
    made->meta.uid = name + "-uid";
    made->meta.finalizers = {std::string(controllers::kGroupProtection), "other"};
    if (deleted) made->meta.deletion = Instant{};
    return made;
  }
  const model::Object* found(const std::string& name) const {
    return cluster.objects().get({model::Kind::pod_group, "t", name, {}}).get();
  }

  net::Loop loop;
  RemoteCluster cluster;
  std::vector<std::pair<kube::Call, kube::AnswerHandler>> calls;
  std::vector<std::string> troubles;
  bool leads = true;
  std::uint64_t version = 100;
};

TEST_F(RemoteClusterTest, makesTheGroupOfAHandWrittenWorkload) {
  controllers::StampingController stamping(cluster);
  show(workload());
  show(pod("p", "w-a"));
  work(stamping);
  ASSERT_EQ(next_call(), "POST /apis/scheduling.k8s.io/v1beta1/namespaces/t/podgroups");
  const std::string& body = calls.front().first.body;
  EXPECT_NE(body.find(R"("minCount":3)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("uid":"w-uid")"), std::string::npos) << "its owner: " << body;
  EXPECT_NE(found("w-a"), nullptr) << "seen at once";
  answer(201);
  show(group("w-a", false));
  work(stamping);
  EXPECT_EQ(found("w-a")->meta.uid, "w-a-uid") << "as the server shows it";
  EXPECT_EQ(next_call(), "none");
}

TEST_F(RemoteClusterTest, undoesWhatTheServerRefused) {
  controllers::StampingController stamping(cluster);
  show(workload());
  show(pod("p", "w-a"));
  work(stamping);
  answer(403);
  EXPECT_EQ(troubles.size(), 1U);
  EXPECT_NE(found("w-a"), nullptr) << "after a pause";
  while (found("w-a") != nullptr) loop.run();
  EXPECT_EQ(found("w-a"), nullptr);
}

TEST_F(RemoteClusterTest, letsADeletedGroupGoWhenItsLastPodHasEnded) {
  controllers::GroupProtection protection(cluster);
  const auto member = pod("p", "g");
  show(member);
  show(group("g", true));
  work(protection);
  EXPECT_EQ(next_call(), "none") << "a pod names it";
  show(member, Type::deleted);
  work(protection);
  ASSERT_EQ(next_call(), "PATCH /apis/scheduling.k8s.io/v1beta1/namespaces/t/podgroups/g");
  EXPECT_EQ(calls.front().first.body,
            R"({"metadata":{"uid":"g-uid","resourceVersion":"102","finalizers":["other"]}})");
}

TEST_F(RemoteClusterTest, letsOthersDoItFirst) {
  controllers::GroupProtection protection(cluster, std::chrono::seconds(30));
  show(group("g", true));
  work(protection);
  EXPECT_EQ(next_call(), "none");
  ASSERT_TRUE(protection.next_due());
  EXPECT_GT(*protection.next_due(), cluster.now() + std::chrono::seconds(20));
  show(group("g", true), Type::deleted);
  work(protection);
  EXPECT_EQ(next_call(), "none");
}

// The template of a Job can be changed only while it is suspended and has no start.
TEST_F(RemoteClusterTest, suspendsAJobBeforeItChangesItsTemplate) {
  const auto job = std::make_shared<model::Job>();
  job->api_version = "batch/v1";
  job->meta.ns = "t";
  job->meta.name = "j";
  job->meta.uid = "j-uid";
  job->status.start_time = Instant{};
  job->document = std::make_shared<const std::string>(R"({"spec":{"template":{}}})");
  show(job);
  (void)cluster.take_changes();
  model::Job stopped = *cluster.objects().find<model::Job>("t", "j");
  stopped.suspend = true;
  ASSERT_TRUE(cluster.update(stopped).ok());
  ASSERT_EQ(next_call(), "PATCH /apis/batch/v1/namespaces/t/jobs/j");
  EXPECT_EQ(calls.front().first.body, R"({"metadata":{"uid":"j-uid"},"spec":{"suspend":true}})");
  answer(200);
  ASSERT_EQ(next_call(), "PATCH /apis/batch/v1/namespaces/t/jobs/j/status");
  EXPECT_NE(calls.front().first.body.find(R"("startTime":null)"), std::string::npos);
  answer(200);
  ASSERT_EQ(next_call(), "PUT /apis/batch/v1/namespaces/t/jobs/j");
  EXPECT_NE(calls.front().first.body.find(R"("suspend":true)"), std::string::npos);
  answer(200);
  EXPECT_EQ(next_call(), "none");
}

TEST_F(RemoteClusterTest, addsLabelsAndLeavesThoseOfOthers) {
  const auto member = pod("p", "g");
  member->meta.labels = {{"app", "a"}};
  show(member);
  const auto written = cluster.patch_meta(model::key_of(*member), [](model::ObjectMeta& meta) {
    meta.labels.push_back({"set", "main"});
    meta.annotations = {{"of", "w"}};
  });
  ASSERT_TRUE(written.ok());
  ASSERT_EQ(next_call(), "PATCH /api/v1/namespaces/t/pods/p");
  EXPECT_EQ(calls.front().first.body,
            R"({"metadata":{"uid":"p-uid","labels":{"set":"main"},"annotations":{"of":"w"}}})");
}

TEST_F(RemoteClusterTest, writesNothingWithoutTheLease) {
  leads = false;
  controllers::StampingController stamping(cluster);
  show(workload());
  show(pod("p", "w-a"));
  work(stamping);
  EXPECT_EQ(next_call(), "none");
}

}  // namespace
}  // namespace tutti::upkeep
