#include "controllers/job/job_controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/names.h"
#include "model/cluster.h"
#include "support/bare_cluster.h"

namespace tutti::controllers {
namespace {

using model::Job;
using model::Pod;
using model::PodPhase;
using std::chrono::seconds;

Job job(std::string name, std::int32_t parallelism, std::optional<std::int32_t> completions) {
  Job out;
  out.api_version = "batch/v1";
  out.meta.ns = "t";
  out.meta.name = std::move(name);
  out.parallelism = parallelism;
  out.completions = completions;
  out.backoff_limit = 6;
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back().name = "main";
  out.pods.spec = std::move(spec);
  out.pods.labels = {{"app", "a"}};
  return out;
}

Job indexed(std::string name, std::int32_t count) {
  Job out = job(std::move(name), count, count);
  out.indexed = true;
  return out;
}

// "w", with a template "workers" for a gang of two.
model::Workload workload_of_two(model::ControllerReference controller) {
  model::Workload out;
  out.api_version = model::kSchedulingV1Beta1;
  out.meta.ns = "t";
  out.meta.name = "w";
  out.controller = std::move(controller);
  auto& form = out.pod_groups.emplace_back();
  form.name = "workers";
  form.spec.policy = {true, 2};
  return out;
}

class JobTest : public testing::Test {
 protected:
  JobTest() { cluster.add<JobController>(); }

  std::shared_ptr<const Job> the(const std::string& name) {
    return cluster.objects().find<Job>("t", name);
  }
  std::vector<std::shared_ptr<const Pod>> live_pods() {
    auto pods = cluster.all<Pod>();
    std::erase_if(pods, [](const auto& pod) { return !is_active(*pod); });
    return pods;
  }
  void end_all(PodPhase phase) {
    for (const auto& pod : live_pods()) cluster.set_phase(*pod, phase);
  }
  const model::Condition* condition(const std::string& name, std::string_view type) {
    return model::find(the(name)->status.conditions, type);
  }

  test::BareCluster cluster;
};

TEST_F(JobTest, runsAsManyPodsAtOnceAsItSaysAndAsManyInAllAsItNeeds) {
  cluster.put(job("j", 2, 3));
  EXPECT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(the("j")->status.active, 2);
  end_all(PodPhase::succeeded);
  EXPECT_EQ(live_pods().size(), 1U);
  EXPECT_EQ(the("j")->status.succeeded, 2);
  end_all(PodPhase::succeeded);
  EXPECT_EQ(the("j")->status.succeeded, 3);
  ASSERT_NE(condition("j", "Complete"), nullptr);
  EXPECT_EQ(condition("j", "Complete")->reason, "CompletionsReached");
  EXPECT_EQ(the("j")->status.completion_time, cluster.now());
  EXPECT_EQ(the("j")->status.active, 0);
}

TEST_F(JobTest, withoutCompletionsEndsWhenOnePodSucceededAndTheOthersEnded) {
  cluster.put(job("j", 3, std::nullopt));
  cluster.set_phase(*live_pods().front(), PodPhase::succeeded);
  EXPECT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(condition("j", "Complete"), nullptr);
  end_all(PodPhase::succeeded);
  EXPECT_NE(condition("j", "Complete"), nullptr);
}

TEST_F(JobTest, givesEachIndexOnePod) {
  cluster.put(indexed("j", 3));
  const auto pods = live_pods();
  ASSERT_EQ(pods.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string index = std::to_string(i);
    EXPECT_TRUE(pods[i]->meta.name.starts_with("j-" + index + "-"));
    EXPECT_EQ(*model::find(pods[i]->meta.annotations, kCompletionIndex), index);
    EXPECT_EQ(*model::find(pods[i]->meta.labels, kCompletionIndex), index);
    EXPECT_EQ(*model::find(pods[i]->meta.labels, "job-name"), "j");
    EXPECT_EQ(*model::find(pods[i]->meta.labels, "app"), "a");
    EXPECT_TRUE(is_tracked(*pods[i]));
  }
  cluster.set_phase(*pods[1], PodPhase::succeeded);
  EXPECT_EQ(the("j")->status.completed_indexes, "1");
  end_all(PodPhase::succeeded);
  EXPECT_EQ(the("j")->status.completed_indexes, "0-2");
}

TEST_F(JobTest, countsAPodOnceAndLetsGoOfIt) {
  cluster.put(job("j", 1, 2));
  cluster.set_phase(*live_pods().front(), PodPhase::succeeded);
  EXPECT_EQ(the("j")->status.succeeded, 1);
  const auto pods = cluster.all<Pod>();
  const auto ended = std::ranges::find_if(pods, [](const auto& pod) { return pod->terminal(); });
  EXPECT_FALSE(is_tracked(**ended));
  cluster.drop(model::key_of(**ended));
  EXPECT_EQ(the("j")->status.succeeded, 1);
}

TEST_F(JobTest, replacesAFailedPodOfItsIndexAfterTheBackoff) {
  cluster.put(indexed("j", 2));
  cluster.set_phase(*live_pods()[1], PodPhase::failed);
  EXPECT_EQ(live_pods().size(), 1U);
  EXPECT_EQ(cluster.next_due(), cluster.now() + seconds(10));
  cluster.advance(seconds(9));
  EXPECT_EQ(live_pods().size(), 1U);
  cluster.advance(seconds(1));
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(completion_index(*live_pods()[1]), 1);
  EXPECT_EQ(the("j")->status.failed, 1);
}

TEST_F(JobTest, failsBeyondItsBackoffLimitAndEndsTheOtherPods) {
  auto one = job("j", 3, 3);
  one.backoff_limit = 0;
  cluster.put(one);
  cluster.set_phase(*live_pods().front(), PodPhase::failed);
  EXPECT_TRUE(live_pods().empty());
  ASSERT_NE(condition("j", "Failed"), nullptr);
  EXPECT_EQ(condition("j", "Failed")->reason, "BackoffLimitExceeded");
  EXPECT_NE(condition("j", "FailureTarget"), nullptr);
  EXPECT_EQ(the("j")->status.failed, 3);
  EXPECT_EQ(cluster.notes().back().reason, "BackoffLimitExceeded");
}

TEST_F(JobTest, failsAtItsDeadline) {
  auto one = job("j", 1, 1);
  one.active_deadline_seconds = 60;
  cluster.put(one);
  cluster.advance(seconds(59));
  EXPECT_EQ(live_pods().size(), 1U);
  cluster.advance(seconds(1));
  EXPECT_TRUE(live_pods().empty());
  EXPECT_EQ(condition("j", "Failed")->reason, "DeadlineExceeded");
}

TEST_F(JobTest, isDeletedWhenItsTimeAfterTheEndHasPassed) {
  auto one = job("j", 1, 1);
  one.ttl_seconds = 100;
  cluster.put(one);
  end_all(PodPhase::succeeded);
  cluster.advance(seconds(99));
  EXPECT_NE(the("j"), nullptr);
  cluster.advance(seconds(1));
  EXPECT_EQ(the("j"), nullptr);
}

TEST_F(JobTest, keepsItsGroupWhileItIsSuspended) {
  auto one = indexed("j", 2);
  one.suspend = true;
  cluster.put(one);
  EXPECT_TRUE(live_pods().empty());
  ASSERT_EQ(cluster.all<model::PodGroup>().size(), 1U);
  EXPECT_EQ(condition("j", "Suspended")->status, "True");
  EXPECT_EQ(the("j")->status.start_time, std::nullopt);

  cluster.advance(seconds(30));
  cluster.change<Job>("t", "j", [](Job& next) { next.suspend = false; });
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(live_pods()[0]->spec->scheduling_group,
            cluster.all<model::PodGroup>().front()->meta.name);
  EXPECT_EQ(condition("j", "Suspended")->status, "False");
  EXPECT_EQ(the("j")->status.start_time, cluster.now());

  cluster.change<Job>("t", "j", [](Job& next) { next.suspend = true; });
  EXPECT_TRUE(live_pods().empty());
  EXPECT_EQ(the("j")->status.failed, 0);
  EXPECT_EQ(cluster.all<model::PodGroup>().size(), 1U);
  EXPECT_EQ(cluster.all<model::Workload>().size(), 1U);
}

TEST_F(JobTest, getsAGangByTheShapeOfV136) {
  cluster.put(indexed("j", 3));
  const auto workload = cluster.all<model::Workload>().at(0);
  EXPECT_EQ(workload->api_version, model::kSchedulingV1Alpha2);
  EXPECT_EQ(workload->meta.name, workload_name("j", the("j")->meta.uid));
  EXPECT_EQ(workload->controller, (model::ControllerReference{"batch", "Job", "j"}));
  EXPECT_EQ(workload->meta.owners.list(), (std::vector{controller_reference(*the("j"))}));
  ASSERT_EQ(workload->pod_groups.size(), 1U);
  EXPECT_EQ(workload->pod_groups[0].name, "j-pgt-0");
  const auto group = cluster.all<model::PodGroup>().at(0);
  EXPECT_EQ(group->spec.policy, (model::SchedulingPolicy{true, 3}));
  EXPECT_EQ(group->workload, (model::WorkloadReference{workload->meta.name, "j-pgt-0"}));
  EXPECT_EQ(group->meta.owners.list(),
            (std::vector{controller_reference(*the("j")), plain_reference(*workload)}));
  for (const auto& pod : live_pods()) {
    EXPECT_EQ(pod->spec->scheduling_group, group->meta.name);
    EXPECT_EQ(pod->spec, live_pods().front()->spec);
  }
}

TEST_F(JobTest, ofAnotherShapeGetsNoGroup) {
  auto grouped = indexed("grouped", 2);
  auto spec = std::make_shared<model::PodSpec>(*grouped.pods.spec);
  spec->scheduling_group = "mine";
  grouped.pods.spec = spec;
  auto longer = indexed("longer", 2);
  longer.completions = 3;
  for (const Job& one : {job("plain", 2, 2), indexed("single", 1), longer, grouped}) {
    SCOPED_TRACE(one.meta.name);
    cluster.put(one);
    EXPECT_TRUE(cluster.all<model::Workload>().empty());
    EXPECT_TRUE(cluster.all<model::PodGroup>().empty());
  }
}

TEST_F(JobTest, withSchedulingIsBasicUnlessItAsksForAGang) {
  auto basic = job("j", 2, 2);
  basic.scheduling.emplace();
  auto spec = std::make_shared<model::PodSpec>(*basic.pods.spec);
  spec->priority_class_name = "high";
  basic.pods.spec = spec;
  cluster.put(basic);
  const auto group = cluster.all<model::PodGroup>().at(0);
  EXPECT_EQ(group->api_version, model::kSchedulingV1Beta1);
  EXPECT_FALSE(group->spec.policy.gang);
  EXPECT_EQ(group->spec.priority_class_name, "high");
}

TEST_F(JobTest, withAGangFollowsParallelismAndItsOwnMinimum) {
  auto one = indexed("j", 3);
  one.scheduling.emplace().gang = true;
  one.scheduling->topology_key = "rack";
  cluster.put(one);
  const auto minimum = [&] { return cluster.all<model::PodGroup>().at(0)->spec.policy.minimum; };
  EXPECT_EQ(minimum(), 3);
  EXPECT_EQ(cluster.all<model::PodGroup>().at(0)->spec.topology_key, "rack");
  cluster.change<Job>("t", "j", [](Job& next) { next.parallelism = next.completions = 5; });
  EXPECT_EQ(minimum(), 5);
  EXPECT_EQ(cluster.all<model::Workload>().at(0)->pod_groups[0].spec.policy.minimum, 5);
  EXPECT_EQ(live_pods().size(), 5U);
  cluster.change<Job>("t", "j", [](Job& next) { next.scheduling->minimum = 2; });
  EXPECT_EQ(minimum(), 2);
}

TEST_F(JobTest, takesADelegatedGroupFromTheWorkloadAboveIt) {
  cluster.put(workload_of_two({"example.com", "Parent", "p"}));
  auto one = job("j", 2, 2);
  one.meta.annotations = {{std::string(kGroupTemplateName), "workers"}};
  one.meta.owners = {{"example.com/v1", "Parent", "p", "parent-uid", true, true}};
  cluster.put(one);
  const auto group = cluster.all<model::PodGroup>().at(0);
  EXPECT_EQ(group->meta.owners.list(), (std::vector{controller_reference(*the("j"))}));
  EXPECT_EQ(group->spec.policy, (model::SchedulingPolicy{true, 2}));
  EXPECT_EQ(cluster.all<model::Workload>().size(), 1U);
  cluster.change<model::Workload>(
      "t", "w", [](model::Workload& next) { next.pod_groups[0].spec.policy.minimum = 1; });
  EXPECT_EQ(cluster.all<model::PodGroup>().at(0)->spec.policy.minimum, 1);
}

TEST_F(JobTest, fallsBackWhenTheWorkloadIsSomeoneElses) {
  cluster.put(workload_of_two({"batch", "Job", "j"}));
  cluster.put(indexed("j", 2));
  EXPECT_TRUE(cluster.all<model::PodGroup>().empty());
  ASSERT_EQ(live_pods().size(), 2U);
  EXPECT_EQ(live_pods()[0]->spec->scheduling_group, "");
}

TEST_F(JobTest, thatHasStartedGetsNoNewGroup) {
  auto one = indexed("j", 2);
  one.status.start_time = cluster.now();
  cluster.put(one);
  EXPECT_TRUE(cluster.all<model::PodGroup>().empty());
  EXPECT_EQ(live_pods().size(), 2U);
}

TEST_F(JobTest, shrinksByThePodsThatAreMissedLeast) {
  cluster.put(job("j", 3, 10));
  const auto running = live_pods()[1]->meta.name;
  cluster.set_phase(*live_pods()[1], PodPhase::running);
  cluster.change<Job>("t", "j", [](Job& next) { next.parallelism = 1; });
  ASSERT_EQ(live_pods().size(), 1U);
  EXPECT_EQ(live_pods()[0]->meta.name, running);
  EXPECT_EQ(the("j")->status.failed, 0);
}

TEST_F(JobTest, doesNotCountDisruptedPodsWhenItsPolicySaysIgnore) {
  auto one = job("j", 1, 1);
  one.backoff_limit = 0;
  one.failure_rules.push_back(
      {model::PodFailureRule::Action::ignore, {{"DisruptionTarget", "True"}}});
  cluster.put(one);
  auto victim = *live_pods()[0];
  victim.status.phase = PodPhase::failed;
  victim.status.conditions = {{"DisruptionTarget", "True", "", "", cluster.now(), 0}};
  (void)cluster.update_status(victim);
  cluster.settle();
  EXPECT_EQ(the("j")->status.failed, 0);
  EXPECT_EQ(condition("j", "Failed"), nullptr);
  cluster.advance(seconds(10));
  EXPECT_EQ(live_pods().size(), 1U);
}

TEST_F(JobTest, waitsUntilTheClusterAcceptsItsPods) {
  cluster.refuse(model::Kind::pod);
  cluster.put(job("j", 2, 2));
  EXPECT_TRUE(live_pods().empty());
  EXPECT_EQ(cluster.notes().back().reason, "FailedCreate");
  cluster.refuse(std::nullopt);
  model::PriorityClass added;
  added.meta.name = "p";
  cluster.put(added);
  EXPECT_EQ(live_pods().size(), 2U);
}

TEST_F(JobTest, ofAnotherControllerIsLeftAlone) {
  auto one = job("j", 1, 1);
  one.managed_by = "kueue.x-k8s.io/multikueue";
  cluster.put(one);
  EXPECT_TRUE(live_pods().empty());
  EXPECT_EQ(the("j")->status.ready, std::nullopt);
}

}  // namespace
}  // namespace tutti::controllers
