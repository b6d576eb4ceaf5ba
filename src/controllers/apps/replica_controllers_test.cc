#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/apps/deployment_controller.h"
#include "controllers/apps/replica_set_controller.h"
#include "controllers/apps/stateful_set_controller.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::Deployment;
using model::Pod;
using model::PodPhase;
using model::ReplicaSet;
using model::StatefulSet;

template <typename T>
T set_of(std::string name, std::int32_t replicas) {
  T out;
  out.api_version = "apps/v1";
  out.meta.ns = "t";
  out.meta.name = std::move(name);
  out.replicas = replicas;
  out.selector = model::LabelSelector{{{"app", "a"}}, {}};
  out.pods.labels = {{"app", "a"}};
  out.pods.spec = std::make_shared<model::PodSpec>();
  return out;
}

class ReplicasTest : public testing::Test {
 protected:
  ReplicasTest() {
    cluster.add<DeploymentController>();
    cluster.add<ReplicaSetController>();
    cluster.add<StatefulSetController>();
  }
  std::vector<std::shared_ptr<const Pod>> pods() { return cluster.all<Pod>(); }

  test::BareCluster cluster;
};

TEST_F(ReplicasTest, areKeptAtTheNumberAskedFor) {
  cluster.put(set_of<ReplicaSet>("r", 3));
  ASSERT_EQ(pods().size(), 3U);
  cluster.drop(model::key_of(*pods()[0]));
  EXPECT_EQ(pods().size(), 3U);
  cluster.set_phase(*pods()[0], PodPhase::running);
  EXPECT_EQ(cluster.objects().find<ReplicaSet>("t", "r")->status, (model::ReplicaStatus{3, 1}));
  const std::string running = pods()[0]->meta.name;
  cluster.change<ReplicaSet>("t", "r", [](ReplicaSet& next) { next.replicas = 1; });
  ASSERT_EQ(pods().size(), 1U);
  EXPECT_EQ(pods()[0]->meta.name, running);
}

TEST_F(ReplicasTest, takeInPodsThatNobodyControls) {
  Pod stray;
  stray.meta.ns = "t";
  stray.meta.name = "stray";
  stray.meta.labels = {{"app", "a"}};
  stray.spec = std::make_shared<model::PodSpec>();
  cluster.put(stray);
  cluster.put(set_of<ReplicaSet>("r", 2));
  ASSERT_EQ(pods().size(), 2U);
  EXPECT_EQ(pods()[1]->meta.name, "stray");
  EXPECT_EQ(pods()[1]->meta.owners.size(), 1U);
}

TEST_F(ReplicasTest, ofASetThatOnlySelectsAreNotMade) {
  auto set = set_of<ReplicaSet>("r", 3);
  set.pods = {};
  cluster.put(set);
  EXPECT_TRUE(pods().empty());
}

TEST_F(ReplicasTest, ofADeploymentMoveToTheNewTemplate) {
  cluster.put(set_of<Deployment>("d", 2));
  ASSERT_EQ(cluster.all<ReplicaSet>().size(), 1U);
  EXPECT_EQ(pods().size(), 2U);
  const std::string* hash = model::find(pods()[0]->meta.labels, "pod-template-hash");
  ASSERT_NE(hash, nullptr);
  EXPECT_EQ(cluster.all<ReplicaSet>()[0]->meta.name, "d-" + *hash);

  cluster.change<Deployment>("t", "d", [](Deployment& next) { next.replicas = 3; });
  EXPECT_EQ(pods().size(), 3U);
  cluster.change<Deployment>("t", "d", [](Deployment& next) {
    next.pods.annotations = {{"v", "2"}};
  });
  EXPECT_EQ(cluster.all<ReplicaSet>().size(), 2U);
  ASSERT_EQ(pods().size(), 3U);
  for (const auto& pod : pods()) {
    EXPECT_NE(model::find(pod->meta.annotations, "v"), nullptr);
  }
}

TEST_F(ReplicasTest, ofAStatefulSetComeOneAfterTheOther) {
  cluster.put(set_of<StatefulSet>("s", 2));
  ASSERT_EQ(pods().size(), 1U);
  EXPECT_EQ(pods()[0]->meta.name, "s-0");
  cluster.set_phase(*pods()[0], PodPhase::running);
  ASSERT_EQ(pods().size(), 2U);
  EXPECT_EQ(pods()[1]->meta.name, "s-1");
}

TEST_F(ReplicasTest, ofAParallelStatefulSetComeAtOnceAndGoFromTheEnd) {
  auto set = set_of<StatefulSet>("s", 3);
  set.parallel = true;
  set.first_ordinal = 5;
  cluster.put(set);
  ASSERT_EQ(pods().size(), 3U);
  EXPECT_EQ(pods()[2]->meta.name, "s-7");
  cluster.change<StatefulSet>("t", "s", [](StatefulSet& next) { next.replicas = 1; });
  ASSERT_EQ(pods().size(), 1U);
  EXPECT_EQ(pods()[0]->meta.name, "s-5");
}

}  // namespace
}  // namespace tutti::controllers
