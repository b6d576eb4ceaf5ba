#include "grouping/memory_groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/binding/intent.h"
#include "support/decoded.h"

namespace tutti::grouping {
namespace {

using core::Observation;
using test::decoded;
using Type = Observation::Type;

constexpr std::string_view kJob = "batch/v1";

std::set<const OwnerKind*> all_kinds() {
  std::set<const OwnerKind*> all;
  for (const OwnerKind& kind : owner_kinds()) all.insert(&kind);
  return all;
}

// What a scheduler would know of a cluster that is told piece by piece.
class MemoryGroupsTest : public testing::Test {
 protected:
  MemoryGroupsTest() { start(); }

  void start(std::set<const OwnerKind*> left_alone = {}) {
    MemoryGroups::Options options;
    options.ours = [](const model::Pod& pod) { return pod.spec->scheduler_name == "tutti"; };
    options.watched = all_kinds();
    options.left_alone = std::move(left_alone);
    groups = std::make_unique<MemoryGroups>(std::move(options),
                                            [this](const Observation& seen) { take(seen); });
    shown.clear();
    pods.clear();
  }

  void see(std::string_view yaml, Type type = Type::modified) {
    groups->observe({type, decoded(yaml), false});
  }

  static std::string job_text(std::string_view name, int pods, std::string_view more = {},
                              std::string_view meta = {}) {
    return fmt::format(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {}, namespace: t, uid: {}-uid{}}}, "
        "spec: {{completionMode: Indexed, parallelism: {}, completions: {}, template: {{spec: "
        "{{containers: []}}}}}}{}}}",
        name, name, meta, pods, pods, more);
  }
  // A pod of an owner, with further metadata and status.
  static std::string pod_text(std::string_view name, std::string_view owner_version,
                              std::string_view owner_kind, std::string_view owner,
                              std::string_view meta = {}, std::string_view more = {}) {
    const std::string owners =
        owner.empty() ? std::string()
                      : fmt::format(
                            ", ownerReferences: [{{apiVersion: {}, kind: {}, name: {}, uid: "
                            "{}-uid, controller: true}}]",
                            owner_version, owner_kind, owner, owner);
    return fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {0}, namespace: t, uid: {0}-uid{1}{2}}}, "
        "spec: {{schedulerName: tutti, priority: 7, containers: []}}{3}}}",
        name, owners, meta, more);
  }
  static std::string of_job(std::string_view name, std::string_view job,
                            std::string_view more = {}) {
    return pod_text(name, kJob, "Job", job, {}, more);
  }

  // "job:a=2 <- p0 p1; …": groups with their minimum, their parent and their pods; "?" for a group
  // that is not there, "-" for pods that stand alone.
  std::string device_state() const {
    std::map<std::string, std::string> members;
    for (const auto& [uid, pod] : pods) {
      const std::string& group = pod->spec->scheduling_group;
      members[group.empty() ? "-" : group] += " " + pod->meta.name;
    }
    std::string out;
    for (const auto& [name, object] : shown) {
      if (object->kind != model::Kind::composite_pod_group) continue;
      const auto& root = model::as<model::CompositePodGroup>(*object);
      out += fmt::format("{}={}; ", name,
                         root.spec.policy.gang ? std::to_string(root.spec.policy.minimum) : "any");
    }
    for (const auto& [name, names] : members) {
      const auto found = shown.find(name);
      std::string minimum = name == "-" ? "" : "=?";
      if (found != shown.end()) {
        const auto& group = model::as<model::PodGroup>(*found->second);
        minimum = fmt::format("={}{}", group.spec.policy.minimum,
                              group.parent.empty() ? "" : "^" + group.parent);
      }
      out += fmt::format("{}{} <-{}; ", name, minimum, names);
    }
    return out;
  }

  std::unique_ptr<MemoryGroups> groups;
  std::map<std::string, model::ObjectPtr> shown;  // groups by name
  std::map<std::string, std::shared_ptr<const model::Pod>> pods;

 private:
  void take(const Observation& seen) {
    if (seen.object->kind == model::Kind::pod) {
      if (seen.type == Type::deleted) {
        pods.erase(seen.object->meta.uid);
      } else {
        pods[seen.object->meta.uid] = std::static_pointer_cast<const model::Pod>(seen.object);
      }
      return;
    }
    if (seen.type == Type::deleted) {
      EXPECT_EQ(shown.erase(seen.object->meta.name), 1U) << "deleted without being there";
    } else {
      EXPECT_EQ(shown.contains(seen.object->meta.name), seen.type == Type::modified);
      shown[seen.object->meta.name] = seen.object;
    }
  }
};

TEST_F(MemoryGroupsTest, makesAGangOfAnIndexedJob) {
  see(job_text("a", 2));
  EXPECT_EQ(device_state(), "") << "a group comes with its first pod";
  see(of_job("p0", "a"));
  see(of_job("p1", "a"));
  EXPECT_EQ(device_state(), "job:a=2 <- p0 p1; ");
  const auto& group = model::as<model::PodGroup>(*shown.at("job:a"));
  EXPECT_TRUE(group.spec.policy.gang);
  EXPECT_EQ(group.spec.priority, 7);
}

TEST_F(MemoryGroupsTest, holdsPodsUntilTheirJobIsSeen) {
  see(of_job("p0", "a"));
  see(of_job("q0", "b"));
  EXPECT_EQ(device_state(), "job:a=? <- p0; job:b=? <- q0; ");
  see(job_text("a", 2));
  see("{apiVersion: batch/v1, kind: Job, metadata: {name: b, namespace: t, uid: b-uid}, spec: "
      "{parallelism: 3, template: {spec: {containers: []}}}}");
  EXPECT_EQ(device_state(), "- <- q0; job:a=2 <- p0; ");
}

TEST_F(MemoryGroupsTest, forgetsAGroupWithItsLastPod) {
  see(job_text("a", 2));
  see(of_job("p0", "a"));
  see(of_job("p1", "a"));
  see(of_job("p0", "a"), Type::deleted);
  EXPECT_EQ(device_state(), "job:a=2 <- p1; ");
  see(of_job("p1", "a"), Type::deleted);
  EXPECT_EQ(device_state(), "");
  EXPECT_EQ(groups->size(), 0U);
  EXPECT_TRUE(shown.empty());
}

TEST_F(MemoryGroupsTest, letsTheMinimumFollowTheJob) {
  struct Case {
    std::string_view what, spec, status;
    int minimum;
  };
  constexpr Case cases[] = {
      {"more parallelism", "parallelism: 5, completions: 5", "", 5},
      {"less", "parallelism: 2, completions: 2", "", 2},
      {"work done", "parallelism: 4, completions: 4", "succeeded: 3", 1},
      {"indexes given up", "parallelism: 4, completions: 4", "failedIndexes: '0,2-3'", 1},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    start();
    see(job_text("a", 4));
    see(of_job("p0", "a"));
    see(
        fmt::format("{{apiVersion: batch/v1, kind: Job, metadata: {{name: a, namespace: t, uid: "
                    "a-uid}}, spec: {{completionMode: Indexed, {}, template: {{spec: {{containers: "
                    "[]}}}}}}, status: {{{}}}}}",
                    each.spec, each.status));
    EXPECT_EQ(device_state(), fmt::format("job:a={} <- p0; ", each.minimum));
  }
}

TEST_F(MemoryGroupsTest, letsPodsGoWhenTheirJobIsNoGangAnyMore) {
  see(job_text("a", 2));
  see(of_job("p0", "a"));
  see("{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: t, uid: a-uid}, spec: "
      "{completionMode: Indexed, parallelism: 1, completions: 2, template: {spec: {containers: "
      "[]}}}}");
  EXPECT_EQ(device_state(), "- <- p0; ");
  EXPECT_TRUE(shown.empty());
}

TEST_F(MemoryGroupsTest, doesNotTakeAJobForOneOfItsNameThatWasBefore) {
  see(job_text("a", 2));
  see(of_job("p0", "a"));
  see("{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: t, uid: second}, spec: "
      "{completionMode: Indexed, parallelism: 3, completions: 3, template: {spec: {containers: "
      "[]}}}}");
  EXPECT_EQ(device_state(), "job:a/a-uid=? <- p0; ") << "the old pod waits for its end";
}

TEST_F(MemoryGroupsTest, leavesPodsOfOthersAndOfRealGroupsAlone) {
  see(job_text("a", 2));
  see("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: t, uid: p, ownerReferences: "
      "[{apiVersion: batch/v1, kind: Job, name: a, uid: a-uid, controller: true}]}, spec: "
      "{schedulerName: another, containers: []}}");
  see("{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: t, uid: q, ownerReferences: "
      "[{apiVersion: batch/v1, kind: Job, name: a, uid: a-uid, controller: true}]}, spec: "
      "{schedulerName: tutti, schedulingGroup: {podGroupName: real}, containers: []}}");
  see(pod_text("r", "apps/v1", "ReplicaSet", "rs"));
  EXPECT_EQ(device_state(), "- <- p r; real=? <- q; ");
}

TEST_F(MemoryGroupsTest, leavesJobsAloneWhereTheClusterGroupsThem) {
  start({find_owner_kind("batch/v1", "Job")});
  see(job_text("a", 2));
  see(of_job("p0", "a"));
  EXPECT_EQ(device_state(), "- <- p0; ");
}

TEST_F(MemoryGroupsTest, understandsKueuesPodGroups) {
  const auto pod = [&](std::string_view name, std::string_view more = {},
                       std::string_view at = {}) {
    return pod_text(name, "", "", "",
                    fmt::format(", labels: {{kueue.x-k8s.io/pod-group-name: g}}, annotations: "
                                "{{kueue.x-k8s.io/pod-group-total-count: '3'{}}}",
                                more),
                    at);
  };
  see(pod("p0"));
  see(pod("p1"));
  EXPECT_EQ(device_state(), "kueue:g=3 <- p0 p1; ");
  see(pod("s", ", kueue.x-k8s.io/pod-group-fast-admission: 'true'"));
  EXPECT_EQ(device_state(), "- <- s; kueue:g=3 <- p0 p1; ") << "sets whose pods come one by one";
}

TEST_F(MemoryGroupsTest, doesNotWaitForMembersOfAWholeGangThatHaveEnded) {
  const auto pod = [&](std::string_view name, std::string_view more) {
    return pod_text(name, "", "", "",
                    ", labels: {kueue.x-k8s.io/pod-group-name: g}, annotations: "
                    "{kueue.x-k8s.io/pod-group-total-count: '3'}",
                    more);
  };
  constexpr std::string_view kBinding =
      ", status: {conditions: [{type: tutti.dev/Binding, status: 'True'}]}";
  see(pod("p0", kBinding));
  see(pod("p1", ""));
  // On nodes, but the gang is still being bound.
  groups->observe({Type::modified,
                   [&] {
                     auto bound = std::static_pointer_cast<model::Pod>(decoded(pod("p1", "")));
                     bound->node_name = "n1";
                     return bound;
                   }(),
                   false});
  EXPECT_EQ(device_state(), "kueue:g=3 <- p0 p1; ");
  see(pod("p0", ", status: {conditions: [{type: tutti.dev/Binding, status: 'False'}]}"));
  EXPECT_EQ(device_state(), "kueue:g=2 <- p0 p1; ");
}

TEST_F(MemoryGroupsTest, asksForeignPodGroupsForTheirMinimum) {
  see(pod_text("v", "", "", "", ", annotations: {scheduling.k8s.io/group-name: g}"));
  see(pod_text("s", "", "", "", ", labels: {scheduling.x-k8s.io/pod-group: g}"));
  EXPECT_EQ(device_state(), "scheduler-plugins:g=? <- s; volcano:g=? <- v; ");
  see("{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g, namespace: "
      "t}, spec: {minMember: 4}}");
  see("{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, namespace: "
      "t}, spec: {minMember: 2}}");
  EXPECT_EQ(device_state(), "scheduler-plugins:g=2 <- s; volcano:g=4 <- v; ");
}

class JobSets : public MemoryGroupsTest {
 protected:
  JobSets() {
    see("{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, namespace: t, "
        "uid: s-uid}, spec: {replicatedJobs: [{name: a, template: {spec: {parallelism: 2, "
        "completions: 2}}}, {name: b, template: {spec: {parallelism: 1, completions: 1}}}]}}");
  }
  static std::string set_job(std::string_view name, int pods, std::string_view status = {}) {
    return job_text(
        name, pods, status,
        ", ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: "
        "s, uid: s-uid, controller: true}]");
  }
};

TEST_F(JobSets, areTreesOfTheirJobs) {
  see(set_job("s-a-0", 2));
  see(set_job("s-b-0", 1));
  see(of_job("p0", "s-a-0"));
  see(of_job("p1", "s-a-0"));
  see(of_job("q0", "s-b-0"));
  EXPECT_EQ(device_state(),
            "jobset:s=2; jobset:s-a-0=2^jobset:s <- p0 p1; jobset:s-b-0=1^jobset:s <- q0; ");
  for (const std::string_view name : {"p0", "p1"}) see(of_job(name, "s-a-0"), Type::deleted);
  see(of_job("q0", "s-b-0"), Type::deleted);
  EXPECT_TRUE(shown.empty());
}

TEST_F(JobSets, doNotWaitForJobsThatHaveEnded) {
  see(set_job("s-a-0", 2));
  see(set_job("s-b-0", 1));
  see(of_job("p0", "s-a-0"));
  see(set_job("s-b-0", 1, ", status: {succeeded: 1}"));
  EXPECT_EQ(device_state(), "jobset:s=1; jobset:s-a-0=2^jobset:s <- p0; ");
  see(set_job("s-a-0", 2, ", status: {succeeded: 1}"));
  EXPECT_EQ(device_state(), "jobset:s=1; jobset:s-a-0=1^jobset:s <- p0; ");
}

TEST_F(JobSets, standAloneWhereFollowersWaitForTheirLeadersNode) {
  see("{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: s, namespace: t, "
      "uid: s-uid, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}, spec: "
      "{replicatedJobs: [{name: a, template: {spec: {parallelism: 2, completions: 2}}}]}}");
  see(set_job("s-a-0", 2));
  see(of_job("p0", "s-a-0"));
  EXPECT_EQ(device_state(), "- <- p0; ");
}

TEST_F(MemoryGroupsTest, findsTheReplicasOfALeaderWorkerSetByTheirLabels) {
  const auto pod = [&](std::string_view name, int group) {
    return pod_text(name, "apps/v1", "StatefulSet", "w",
                    fmt::format(", labels: {{leaderworkerset.sigs.k8s.io/name: w, "
                                "leaderworkerset.sigs.k8s.io/group-index: '{}'}}",
                                group));
  };
  see("{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: w, "
      "namespace: t}, spec: {replicas: 2, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: "
      "{}}}}}");
  see(pod("w-0", 0));
  see(pod("w-0-1", 0));
  see(pod("w-1", 1));
  EXPECT_EQ(device_state(),
            "leaderworkerset:w=any; leaderworkerset:w-0=2^leaderworkerset:w <- w-0-1 w-0; "
            "leaderworkerset:w-1=2^leaderworkerset:w <- w-1; ");
}

TEST_F(MemoryGroupsTest, countsOffWhatKubeflowSaysHasSucceeded) {
  const auto train = [](std::string_view status) {
    return fmt::format(
        "{{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {{name: k, namespace: t, uid: "
        "k-uid}}, spec: {{pytorchReplicaSpecs: {{Master: {{template: {{spec: {{}}}}}}, Worker: "
        "{{replicas: 3, template: {{spec: {{}}}}}}}}}}{}}}",
        status);
  };
  see(train(""));
  see(pod_text("p0", "kubeflow.org/v1", "PyTorchJob", "k"));
  EXPECT_EQ(device_state(), "pytorchjob:k=4 <- p0; ");
  see(train(", status: {replicaStatuses: {Worker: {succeeded: 2}}}"));
  EXPECT_EQ(device_state(), "pytorchjob:k=2 <- p0; ");
}

TEST_F(MemoryGroupsTest, tellsRaysGroupsApartUnderAutoscaling) {
  see("{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r, namespace: t, uid: r-uid}, "
      "spec: {enableInTreeAutoscaling: true, headGroupSpec: {template: {spec: {}}}, "
      "workerGroupSpecs: [{groupName: gpu, replicas: 2, minReplicas: 2, template: {spec: {}}}]}}");
  see(pod_text("h", "ray.io/v1", "RayCluster", "r",
               ", labels: {ray.io/node-type: head, ray.io/group: headgroup}"));
  see(pod_text("w", "ray.io/v1", "RayCluster", "r",
               ", labels: {ray.io/node-type: worker, ray.io/group: gpu}"));
  EXPECT_EQ(device_state(),
            "raycluster:r=2; raycluster:r-gpu=2^raycluster:r <- w; "
            "raycluster:r-head=1^raycluster:r <- h; ");
}

TEST_F(MemoryGroupsTest, letsOnePodCarryWhatMustBeWritten) {
  const model::ObjectKey key{model::Kind::pod_group, "t", "job:a", {}};
  EXPECT_FALSE(groups->carrier(key));
  see(job_text("a", 2));
  see(of_job("p0", "a"));
  see(of_job("p1", "a"));
  const auto first = groups->carrier(key);
  ASSERT_TRUE(first);
  EXPECT_EQ(groups->carrier(key)->uid, first->uid);
  EXPECT_TRUE(model::as<model::PodGroup>(*shown.at("job:a")).conditions.empty());
  see(of_job(
      "p1", "a",
      ", status: {conditions: [{type: tutti.dev/Binding, status: 'True', reason: Binding}]}"));
  const auto* said = model::find(model::as<model::PodGroup>(*shown.at("job:a")).conditions,
                                 core::kBindingCondition);
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->status, "True");
  see(of_job("p0", "a"), Type::deleted);
  EXPECT_EQ(groups->carrier(key)->name, "p1");
}

TEST_F(MemoryGroupsTest, letsPodsOfOneTemplateShareTheirSpec) {
  see(job_text("a", 2));
  auto first = std::static_pointer_cast<model::Pod>(decoded(of_job("p0", "a")));
  auto second = std::static_pointer_cast<model::Pod>(decoded(of_job("p1", "a")));
  second->spec = first->spec;
  groups->observe({Type::added, first, false});
  groups->observe({Type::added, second, false});
  EXPECT_EQ(pods.at("p0-uid")->spec, pods.at("p1-uid")->spec);
}

}  // namespace
}  // namespace tutti::grouping
