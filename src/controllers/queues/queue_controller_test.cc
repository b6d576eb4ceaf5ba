#include "controllers/queues/queue_controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/job/job_controller.h"
#include "controllers/queues/work/queue_words.h"
#include "model/quota.h"
#include "model/quota_annotations.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Condition;
using model::Job;
using model::Pod;

Job queued_job_of(std::int32_t pods) {
  Job job;
  job.api_version = "batch/v1";
  job.meta.ns = "t";
  job.meta.name = "j";
  job.meta.labels = {{std::string(kQueueName), "main"}};
  job.parallelism = pods;
  job.completions = pods;
  job.backoff_limit = 6;
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back().name = "main";
  spec->node_selector = {{"disk", "fast"}};
  job.pods.spec = std::move(spec);
  return job;
}

class QueueControllerTest : public testing::Test {
 protected:
  QueueControllerTest() {
    cluster.add<QueueController>(QueueRules{});
    cluster.add<JobController>();
    model::LocalQueue queue;
    queue.meta.ns = "t";
    queue.meta.name = "main";
    cluster.put(queue);
    model::ResourceFlavor flavor;
    flavor.meta.name = "spot";
    flavor.node_labels = {{"pool", "spot"}};
    flavor.tolerations.emplace_back().key = "spot";
    cluster.put(flavor);
  }

  std::shared_ptr<const Job> job() { return cluster.objects().find<Job>("t", "j"); }
  std::shared_ptr<const AdmissionRequest> request() {
    const auto all = cluster.all<AdmissionRequest>();
    return all.empty() ? nullptr : all.front();
  }
  std::vector<std::shared_ptr<const Pod>> live_pods() {
    auto pods = cluster.all<Pod>();
    std::erase_if(pods, [](const auto& pod) { return !is_active(*pod); });
    return pods;
  }

  // What a broker says of it.
  void admit(std::int32_t pods) {
    say([&](model::AdmissionRequestStatus& status) {
      status.conditions = {said("QuotaReserved", "True"), said("Admitted", "True"),
                           said("Evicted", "False")};
      model::PodSetAssignment set;
      set.flavors = {{"cpu", "spot"}};
      set.count = pods;
      status.admission.emplace();
      status.admission->cluster_queue = "team";
      status.admission->pod_sets.push_back(std::move(set));
    });
  }
  void evict() {
    say([&](model::AdmissionRequestStatus& status) {
      status.conditions = {said("QuotaReserved", "True"), said("Admitted", "True"),
                           said("Evicted", "True")};
    });
  }
  std::string condition(std::string_view type) {
    const Condition* found = model::find(request()->status.conditions, type);
    return found != nullptr ? found->status + " " + found->reason : "";
  }

  test::BareCluster cluster;

 private:
  Condition said(std::string type, std::string status) {
    return {std::move(type), std::move(status), "Test", "said by the test", cluster.now(), 0};
  }
  template <typename Edit>
  void say(Edit edit) {
    AdmissionRequest next = *request();
    const auto own = next.status.conditions;
    edit(next.status);
    for (const Condition& kept : own) {
      if (model::find(next.status.conditions, kept.type) == nullptr) {
        next.status.conditions.push_back(kept);
      }
    }
    TUTTI_CHECK(cluster.update_status(next).ok());
    cluster.settle();
  }
};

TEST_F(QueueControllerTest, suspendsAJobAndAsksForItsPods) {
  cluster.put(queued_job_of(3));
  EXPECT_TRUE(job()->suspend);
  EXPECT_TRUE(live_pods().empty());
  ASSERT_NE(request(), nullptr);
  EXPECT_TRUE(request()->meta.name.starts_with("job-j-"));
  EXPECT_TRUE(is_controlled_by(request()->meta, *job()));
  EXPECT_EQ(request()->spec.queue, "main");
  ASSERT_EQ(request()->spec.pod_sets.size(), 1U);
  EXPECT_EQ(request()->spec.pod_sets.front().count, 3);
  EXPECT_EQ(request()->spec.priority, 0);
}

TEST_F(QueueControllerTest, leavesJobsWithoutAQueueAlone) {
  Job free = queued_job_of(2);
  free.meta.labels.clear();
  cluster.put(free);
  EXPECT_FALSE(job()->suspend);
  EXPECT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(request(), nullptr);
}

TEST_F(QueueControllerTest, startsAnAdmittedJobWhereItsFlavorIs) {
  cluster.put(queued_job_of(3));
  admit(3);
  EXPECT_FALSE(job()->suspend);
  ASSERT_EQ(live_pods().size(), 3U);
  const Pod& pod = *live_pods().front();
  EXPECT_EQ(*model::find(pod.spec->node_selector, "pool"), "spot");
  EXPECT_EQ(*model::find(pod.spec->node_selector, "disk"), "fast");
  EXPECT_EQ(pod.spec->tolerations.size(), 1U);
  EXPECT_EQ(*model::find(pod.meta.annotations, kRequestOfPod), request()->meta.name);
  EXPECT_EQ(*model::find(pod.meta.labels, kPodSetOfPod), "main");
}

TEST_F(QueueControllerTest, suspendsAnEvictedJobAndRestoresItsPods) {
  cluster.put(queued_job_of(3));
  admit(3);
  evict();
  EXPECT_TRUE(job()->suspend);
  EXPECT_TRUE(live_pods().empty());
  EXPECT_EQ(job()->pods.spec->node_selector, (model::Labels{{"disk", "fast"}}));
  EXPECT_TRUE(job()->pods.spec->tolerations.empty());
  EXPECT_TRUE(job()->pods.annotations.empty());
  EXPECT_EQ(condition("PodsReady"), "False WaitForStart");
  admit(3);
  EXPECT_FALSE(job()->suspend);
  EXPECT_EQ(live_pods().size(), 3U);
}

TEST_F(QueueControllerTest, runsAsManyPodsAsWerePromised) {
  Job smaller = queued_job_of(5);
  smaller.meta.annotations = {{std::string(kLeastParallelism), "2"}};
  cluster.put(smaller);
  EXPECT_EQ(request()->spec.pod_sets.front().min_count, 2);
  admit(3);
  EXPECT_EQ(job()->parallelism, 3);
  EXPECT_EQ(job()->completions, 5);
  EXPECT_EQ(live_pods().size(), 3U);
  evict();
  EXPECT_EQ(job()->parallelism, 5);
}

TEST_F(QueueControllerTest, saysHowFarTheWorkIs) {
  cluster.put(queued_job_of(2));
  admit(2);
  EXPECT_EQ(condition("PodsReady"), "False WaitForStart");
  for (const auto& pod : live_pods()) cluster.set_phase(*pod, model::PodPhase::running);
  EXPECT_EQ(condition("PodsReady"), "True Started");
  cluster.set_phase(*live_pods().front(), model::PodPhase::failed);
  EXPECT_EQ(condition("PodsReady"), "False WaitForRecovery");
  cluster.advance(std::chrono::seconds(10));
  for (const auto& pod : live_pods()) cluster.set_phase(*pod, model::PodPhase::running);
  EXPECT_EQ(condition("PodsReady"), "True Recovered");
  cluster.set_phase(*live_pods().front(), model::PodPhase::succeeded);
  ASSERT_EQ(request()->status.reclaimable.size(), 1U);
  EXPECT_EQ(request()->status.reclaimable.front().count, 1);
  cluster.set_phase(*live_pods().front(), model::PodPhase::succeeded);
  EXPECT_EQ(condition("Finished"), "True Succeeded");
}

TEST_F(QueueControllerTest, waitsForAPriorityClassToCome) {
  Job urgent = queued_job_of(1);
  urgent.meta.labels = {{std::string(kQueuePriority), "high"}, {std::string(kQueueName), "main"}};
  cluster.put(urgent);
  EXPECT_TRUE(job()->suspend);
  EXPECT_EQ(request(), nullptr);
  model::WorkloadPriorityClass high;
  high.meta.name = "high";
  high.value = 7;
  cluster.put(high);
  ASSERT_NE(request(), nullptr);
  EXPECT_EQ(request()->spec.priority, 7);
  EXPECT_EQ(request()->spec.priority_class->kind, "WorkloadPriorityClass");
}

TEST_F(QueueControllerTest, followsAJobThatChangesWhileItWaits) {
  cluster.put(queued_job_of(3));
  cluster.change<Job>("t", "j", [](Job& next) {
    next.parallelism = 2;
    next.completions = 2;
    next.meta.labels = {{std::string(kQueueName), "other"}};
  });
  EXPECT_EQ(request()->spec.pod_sets.front().count, 2);
  EXPECT_EQ(request()->spec.queue, "other");
}

TEST_F(QueueControllerTest, doesNotHoldThePartsOfHeldWork) {
  cluster.put(queued_job_of(1));
  Job part = queued_job_of(2);
  part.meta.name = "part";
  part.meta.owners = {controller_reference(*job())};
  cluster.put(part);
  EXPECT_EQ(cluster.all<AdmissionRequest>().size(), 1U);
}

TEST(QueueController, holdsNothingInAClusterWithoutQueues) {
  test::BareCluster cluster;
  cluster.add<QueueController>(QueueRules{});
  cluster.add<JobController>();
  cluster.put(queued_job_of(2));
  EXPECT_EQ(cluster.all<Pod>().size(), 2U);
  EXPECT_TRUE(cluster.all<AdmissionRequest>().empty());
}

TEST_F(QueueControllerTest, runsAnElasticJobWithAsManyPodsAsItIsPromised) {
  Job elastic = queued_job_of(4);
  elastic.indexed = true;
  elastic.meta.annotations = {{std::string(kElasticJob), "true"},
                              {std::string(model::kMinParallelism), "2"}};
  cluster.put(elastic);
  EXPECT_EQ(request()->spec.pod_sets.front().min_count, 2);
  admit(4);
  const auto first = live_pods();
  ASSERT_EQ(first.size(), 4U);
  admit(2);
  EXPECT_FALSE(job()->suspend);
  EXPECT_EQ(job()->parallelism, 2);
  EXPECT_EQ(*model::find(job()->meta.annotations, model::kAskedParallelism), "4");
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(live_pods().front()->meta.uid, first.front()->meta.uid);
  EXPECT_EQ(*model::find(live_pods().back()->meta.annotations,
                         "batch.kubernetes.io/job-completion-index"),
            "1");
  admit(4);
  EXPECT_EQ(job()->parallelism, 4);
  EXPECT_EQ(model::find(job()->meta.annotations, model::kAskedParallelism), nullptr);
  cluster.advance(std::chrono::seconds(30));
  EXPECT_EQ(live_pods().size(), 4U);
  admit(3);
  evict();
  EXPECT_TRUE(job()->suspend);
  EXPECT_EQ(job()->parallelism, 4) << "it asks for all of them again";
}

}  // namespace
}  // namespace tutti::controllers
