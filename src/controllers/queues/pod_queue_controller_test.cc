#include "controllers/queues/pod_queue_controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/garbage/garbage_collector.h"
#include "controllers/queues/work/queue_words.h"
#include "model/quota.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Condition;
using model::Pod;
using model::PodPhase;

Pod gated_pod(std::string name, std::int64_t cpus = 1) {
  Pod pod;
  pod.api_version = "v1";
  pod.meta.ns = "t";
  pod.meta.name = std::move(name);
  pod.meta.labels = {{std::string(kManagedPod), "true"}, {std::string(kQueueName), "main"}};
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back().requests = {{"cpu", Quantity::from_units(cpus)}};
  spec->scheduling_gates = {std::string(kAdmissionGate), "example.com/mine"};
  pod.spec = std::move(spec);
  return pod;
}

Pod member(std::string name, std::int64_t cpus = 1) {
  Pod pod = gated_pod(std::move(name), cpus);
  pod.meta.labels = {{std::string(kManagedPod), "true"},
                     {std::string(kQueuedGroup), "g"},
                     {std::string(kQueueName), "main"}};
  pod.meta.annotations = {{std::string(kQueuedGroupCount), "3"}};
  return pod;
}

class PodQueueControllerTest : public testing::Test {
 protected:
  PodQueueControllerTest() {
    cluster.add<PodQueueController>(QueueRules{});
    cluster.add<GarbageCollector>();
    model::ResourceFlavor flavor;
    flavor.meta.name = "spot";
    flavor.node_labels = {{"pool", "spot"}};
    cluster.put(flavor);
  }

  std::shared_ptr<const Pod> the(const std::string& name) {
    return cluster.objects().find<Pod>("t", name);
  }
  std::shared_ptr<const AdmissionRequest> request() {
    const auto all = cluster.all<AdmissionRequest>();
    return all.empty() ? nullptr : all.front();
  }
  bool waits(const std::string& name) {
    const auto& gates = the(name)->spec->scheduling_gates;
    return std::ranges::find(gates, kAdmissionGate) != gates.end();
  }
  void say(bool evicted) {
    AdmissionRequest next = *request();
    next.status.conditions = {{"Admitted", "True", "", "", cluster.now(), 0},
                              {"Evicted", evicted ? "True" : "False", "", "", cluster.now(), 0}};
    next.status.admission.emplace().cluster_queue = "team";
    for (const model::PodSet& set : next.spec.pod_sets) {
      model::PodSetAssignment promised;
      promised.pod_set = set.name;
      promised.flavors = {{"cpu", "spot"}};
      promised.count = set.count;
      next.status.admission->pod_sets.push_back(std::move(promised));
    }
    TUTTI_CHECK(cluster.update_status(next).ok());
    cluster.settle();
  }

  test::BareCluster cluster;
};

TEST_F(PodQueueControllerTest, letsAPodGoWhenItsRequestIsAdmitted) {
  cluster.put(gated_pod("a"));
  ASSERT_NE(request(), nullptr);
  EXPECT_TRUE(request()->meta.name.starts_with("pod-a-"));
  EXPECT_TRUE(waits("a"));
  say(false);
  EXPECT_EQ(the("a")->spec->scheduling_gates, std::vector<std::string>{"example.com/mine"});
  EXPECT_EQ(*model::find(the("a")->spec->node_selector, "pool"), "spot");
  EXPECT_EQ(*model::find(the("a")->meta.annotations, kRequestOfPod), request()->meta.name);
  EXPECT_EQ(*model::find(the("a")->meta.labels, kPodSetOfPod), "main");
}

TEST_F(PodQueueControllerTest, deletesAPodThatIsEvictedAndItsRequestWithIt) {
  cluster.put(gated_pod("a"));
  say(false);
  say(true);
  EXPECT_EQ(the("a"), nullptr);
  EXPECT_EQ(request(), nullptr);
}

TEST_F(PodQueueControllerTest, asksForAGroupWhenAllOfItAreThere) {
  cluster.put(member("g-0"));
  cluster.put(member("g-1"));
  EXPECT_EQ(request(), nullptr);
  cluster.put(member("g-2", 4));
  ASSERT_NE(request(), nullptr);
  EXPECT_EQ(request()->meta.name, "g");
  EXPECT_EQ(request()->meta.owners.size(), 3U);
  ASSERT_EQ(request()->spec.pod_sets.size(), 2U);
  EXPECT_EQ(request()->spec.pod_sets[0].count, 2);
  EXPECT_EQ(request()->spec.pod_sets[1].count, 1);
  EXPECT_TRUE(waits("g-0"));
  say(false);
  EXPECT_FALSE(waits("g-0") || waits("g-1") || waits("g-2"));
}

TEST_F(PodQueueControllerTest, asksAtOnceForAGroupThatIsAdmittedFast) {
  Pod first = member("g-0");
  first.meta.annotations = {{std::string(kFastAdmission), "true"},
                            {std::string(kQueuedGroupCount), "3"}};
  cluster.put(first);
  ASSERT_NE(request(), nullptr);
  EXPECT_EQ(request()->spec.pod_sets.front().count, 3);
  say(false);
  cluster.put(member("g-1"));
  EXPECT_FALSE(waits("g-1"));
}

TEST_F(PodQueueControllerTest, letsAReplacementGoAndNobodyBeyondTheGroup) {
  for (const std::string name : {"g-0", "g-1", "g-2"}) cluster.put(member(name));
  say(false);
  cluster.put(member("g-3"));
  EXPECT_TRUE(waits("g-3"));
  cluster.set_phase(*the("g-1"), PodPhase::failed);
  EXPECT_FALSE(waits("g-3"));
  EXPECT_EQ(request()->meta.owners.size(), 4U);
}

TEST_F(PodQueueControllerTest, finishesAGroupWhenAllOfItSucceeded) {
  for (const std::string name : {"g-0", "g-1", "g-2"}) cluster.put(member(name));
  say(false);
  cluster.set_phase(*the("g-0"), PodPhase::succeeded);
  ASSERT_EQ(request()->status.reclaimable.size(), 1U);
  EXPECT_EQ(request()->status.reclaimable.front().count, 1);
  cluster.set_phase(*the("g-1"), PodPhase::succeeded);
  cluster.set_phase(*the("g-2"), PodPhase::succeeded);
  const Condition* finished = model::find(request()->status.conditions, "Finished");
  ASSERT_NE(finished, nullptr);
  EXPECT_EQ(finished->message, "Pods succeeded: 3/3.");
}

}  // namespace
}  // namespace tutti::controllers
