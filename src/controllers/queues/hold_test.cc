#include "controllers/queues/hold.h"

#include <gtest/gtest.h>

#include <map>

#include "controllers/dependents.h"
#include "controllers/queues/work/queue_words.h"
#include "model/apps.h"
#include "model/job.h"
#include "model/pod.h"
#include "model/quota.h"

namespace tutti::controllers {
namespace {

using model::Job;
using model::Kind;
using model::Pod;

const model::Labels kToMain = {{std::string(kQueueName), "main"}};

template <typename T>
T work(std::string api_version, std::string name, model::Labels labels = {}) {
  T out;
  out.api_version = std::move(api_version);
  out.meta.ns = "t";
  out.meta.name = std::move(name);
  out.meta.uid = "u-" + out.meta.name;
  out.meta.labels = std::move(labels);
  return out;
}

Pod pod_of(const model::Object* owner, model::Labels labels = {}) {
  Pod pod = work<Pod>("v1", "p", std::move(labels));
  pod.spec = std::make_shared<model::PodSpec>();
  if (owner != nullptr) pod.meta.owners = {controller_reference(*owner)};
  return pod;
}

class HoldTest : public testing::Test {
 protected:
  void know(const model::Object& object) { known_[model::key_of(object)] = &object; }
  template <typename T>
  T held(T object, const QueueRules& rules = {}) {
    hold_new_work(
        object, rules,
        [this](const model::ObjectKey& key) -> const model::Object* {
          const auto at = known_.find(key);
          return at != known_.end() ? at->second : nullptr;
        },
        rewrites_);
    return object;
  }
  static bool gated(const Pod& pod) {
    return pod.spec->scheduling_gates == std::vector<std::string>{std::string(kAdmissionGate)};
  }
  static std::string label(const model::Object& object, std::string_view key) {
    const std::string* value = model::find(object.meta.labels, key);
    return value != nullptr ? *value : "";
  }

 private:
  std::map<model::ObjectKey, const model::Object*> known_;
  admission::SpecRewrites rewrites_;
};

TEST_F(HoldTest, suspendsWorkThatNamesAQueueAndLeavesOtherWorkAlone) {
  EXPECT_TRUE(held(work<Job>("batch/v1", "j", kToMain)).suspend);
  EXPECT_FALSE(held(work<Job>("batch/v1", "j")).suspend);
  EXPECT_FALSE(held(work<Job>("batch/v1", "j", kToMain), {.frameworks = {"pod"}}).suspend);
}

TEST_F(HoldTest, leavesAloneWhatRanElsewhereBefore) {
  Job copied = work<Job>("batch/v1", "j", kToMain);
  copied.meta.created = Instant{};
  EXPECT_FALSE(held(copied).suspend);
}

TEST_F(HoldTest, namesTheDefaultQueueOfTheNamespace) {
  auto queue = work<model::LocalQueue>("kueue.x-k8s.io/v1beta2", "default");
  know(queue);
  const Job job = held(work<Job>("batch/v1", "j"));
  EXPECT_EQ(label(job, kQueueName), "default");
  EXPECT_TRUE(job.suspend);
  EXPECT_TRUE(gated(held(pod_of(nullptr))));
}

TEST_F(HoldTest, holdsWorkWithoutAQueueWhereTheConfigurationSaysSo) {
  const QueueRules all{.holds_work_without_queue = true};
  EXPECT_TRUE(held(work<Job>("batch/v1", "j"), all).suspend);
  Job system = work<Job>("batch/v1", "j");
  system.meta.ns = "kube-system";
  EXPECT_FALSE(held(system, all).suspend);
}

TEST_F(HoldTest, suspendsKindsOfOthersInTheirDocuments) {
  auto set = work<model::OtherObject>("jobset.x-k8s.io/v1alpha2", "s", kToMain);
  set.kind_name = "JobSet";
  set.document = std::make_shared<const std::string>(R"({"spec":{"replicatedJobs":[]}})");
  EXPECT_EQ(*held(set).document, R"({"spec":{"replicatedJobs":[],"suspend":true}})");
  auto fit = work<model::OtherObject>("kubeflow.org/v1", "f", kToMain);
  fit.kind_name = "PyTorchJob";
  fit.document = std::make_shared<const std::string>(R"({"spec":{}})");
  EXPECT_EQ(*held(fit).document, R"({"spec":{"runPolicy":{"suspend":true}}})");
}

TEST_F(HoldTest, gatesPodsThatNameAQueue) {
  EXPECT_TRUE(gated(held(pod_of(nullptr, kToMain))));
  EXPECT_EQ(label(held(pod_of(nullptr, kToMain)), kManagedPod), "true");
  EXPECT_FALSE(gated(held(pod_of(nullptr))));
  Pod running = pod_of(nullptr, kToMain);
  running.node_name = "n";
  EXPECT_FALSE(gated(held(running)));
}

TEST_F(HoldTest, leavesPodsOfSuspendableWorkToThatWork) {
  const Job job = work<Job>("batch/v1", "j", kToMain);
  know(job);
  EXPECT_FALSE(gated(held(pod_of(&job, kToMain))));
}

TEST_F(HoldTest, gatesReplicasOneByOneAndSetsAsGroups) {
  const auto deployment = work<model::Deployment>("apps/v1", "d", kToMain);
  auto replicas = work<model::ReplicaSet>("apps/v1", "d-1");
  replicas.meta.owners = {controller_reference(deployment)};
  auto set = work<model::StatefulSet>("apps/v1", "s", kToMain);
  set.replicas = 3;
  know(deployment);
  know(replicas);
  know(set);

  const Pod replica = held(pod_of(&replicas));
  EXPECT_TRUE(gated(replica));
  EXPECT_EQ(label(replica, kQueueName), "main");
  EXPECT_EQ(label(replica, kQueuedGroup), "");

  const Pod member = held(pod_of(&set));
  EXPECT_TRUE(gated(member));
  EXPECT_TRUE(label(member, kQueuedGroup).starts_with("statefulset-s-"));
  EXPECT_EQ(*model::find(member.meta.annotations, kQueuedGroupCount), "3");
}

TEST_F(HoldTest, aLaterFormOfAHeldPodStaysHeldAndOneOfAStartedPodStarted) {
  const Pod present = held(pod_of(nullptr, kToMain));
  Pod next = pod_of(nullptr, kToMain);
  keep_hold(next, present);
  EXPECT_TRUE(gated(next));

  Pod started = pod_of(nullptr, present.meta.labels);
  auto spec = std::make_shared<model::PodSpec>();
  spec->node_selector = {{"pool", "spot"}};
  started.spec = spec;
  started.meta.annotations = {{std::string(kRequestOfPod), "r"}};
  next = held(pod_of(nullptr, kToMain));
  keep_hold(next, started);
  EXPECT_FALSE(gated(next));
  EXPECT_EQ(next.spec->node_selector, spec->node_selector);
}

}  // namespace
}  // namespace tutti::controllers
