// Jobs of a cluster that was copied while they ran.
#include <gtest/gtest.h>

#include <chrono>

#include "controllers/dependents.h"
#include "controllers/job/job_controller.h"
#include "support/bare_cluster.h"
#include "support/build.h"

namespace tutti::controllers {
namespace {

using model::Job;
using model::Pod;
using model::PodPhase;

Job started(std::int32_t parallelism, std::int32_t completions, std::int32_t active) {
  Job out;
  out.api_version = "batch/v1";
  out.meta.ns = "t";
  out.meta.name = "j";
  out.meta.uid = "uid-j";
  out.parallelism = parallelism;
  out.completions = completions;
  out.backoff_limit = 6;
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back().name = "main";
  out.pods.spec = std::move(spec);
  out.status.start_time = Instant{};
  out.status.active = active;
  return out;
}

Pod pod_of(const Job& job, const std::string& name) {
  Pod out = *test::pod(name).on("n1").build();
  out.meta.owners = {controller_reference(job)};
  out.meta.finalizers = {std::string(kTracking)};
  out.status.phase = PodPhase::running;
  return out;
}

Pod with_index(Pod pod, const std::string& index) {
  pod.meta.annotations = {{std::string(kCompletionIndex), index}};
  return pod;
}

class CopiedJobTest : public testing::Test {
 protected:
  CopiedJobTest() { cluster.add<JobController>(Origin::copied); }

  std::vector<std::shared_ptr<const Pod>> live_pods() {
    auto pods = cluster.all<Pod>();
    std::erase_if(pods, [](const auto& pod) { return !is_active(*pod); });
    return pods;
  }
  std::shared_ptr<const Job> the_job() { return cluster.objects().find<Job>("t", "j"); }

  test::BareCluster cluster;
};

TEST_F(CopiedJobTest, goesOnWithThePodsItHas) {
  const Job job = started(2, 5, 2);
  cluster.put(pod_of(job, "a"));
  cluster.put(pod_of(job, "b"));
  cluster.put(job);
  EXPECT_EQ(live_pods().size(), 2U);
  cluster.set_phase(*live_pods().front(), PodPhase::succeeded);
  EXPECT_EQ(live_pods().size(), 2U) << "the next takes the place of one that has ended";
  EXPECT_EQ(the_job()->status.succeeded, 1);
}

TEST_F(CopiedJobTest, makesNoPodsThatItCouldNotHaveWhereItWasCopied) {
  const Job job = started(10, 4, 1);
  cluster.put(pod_of(job, "a"));
  cluster.put(job);
  EXPECT_EQ(live_pods().size(), 1U) << "a quota, perhaps";
  cluster.set_phase(*live_pods().front(), PodPhase::succeeded);
  EXPECT_EQ(live_pods().size(), 1U);
}

TEST_F(CopiedJobTest, waitsAfterFailuresAsItWouldHave) {
  Job job = started(1, 1, 0);
  job.status.failed = 2;
  cluster.put(job);
  EXPECT_TRUE(live_pods().empty());
  cluster.advance(std::chrono::seconds(20));
  EXPECT_EQ(live_pods().size(), 1U);
}

TEST_F(CopiedJobTest, makesPodsThatWereOnlyLeftBehind) {
  cluster.put(started(2, 2, 2));
  EXPECT_EQ(live_pods().size(), 2U) << "its status counts pods that are not here";
}

TEST_F(CopiedJobTest, thatNobodyHasLookedAtYetMakesItsPods) {
  Job job = started(2, 2, 0);
  job.status = {};
  cluster.put(job);
  EXPECT_EQ(live_pods().size(), 2U);
}

TEST_F(CopiedJobTest, triesNoIndexAgainThatWasGivenUp) {
  Job job = started(2, 4, 2);
  job.indexed = true;
  job.status.failed_indexes = "1";
  cluster.put(with_index(pod_of(job, "a"), "0"));
  cluster.put(with_index(pod_of(job, "b"), "2"));
  cluster.put(job);
  cluster.set_phase(*live_pods().front(), PodPhase::succeeded);
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(completion_index(*live_pods().back()), 3) << live_pods().back()->meta.name;
  cluster.set_phase(*live_pods().back(), PodPhase::succeeded);
  EXPECT_EQ(live_pods().size(), 1U);
}

TEST_F(CopiedJobTest, keepsItsGroupAlthoughTheWorkloadWasNotCopied) {
  Job job = started(2, 2, 2);
  job.indexed = true;
  model::PodGroup group = *test::pod_group("g").build();
  group.meta.owners = {controller_reference(job)};
  cluster.put(group);
  cluster.put(with_index(pod_of(job, "a"), "0"));
  cluster.put(with_index(pod_of(job, "b"), "1"));
  cluster.put(job);
  cluster.drop(model::key_of(*live_pods().front()));
  cluster.advance(std::chrono::seconds(10));
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(live_pods().back()->spec->scheduling_group, "g");
}

TEST_F(CopiedJobTest, letsGoOfPodsThatComeWithoutIt) {
  cluster.put(pod_of(started(1, 1, 1), "a"));
  EXPECT_TRUE(is_tracked(*live_pods().front()));
  cluster.drop(model::key_of(*live_pods().front()));
  EXPECT_FALSE(is_tracked(*cluster.all<Pod>().front()));
}

}  // namespace
}  // namespace tutti::controllers
