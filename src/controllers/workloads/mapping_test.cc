#include "controllers/workloads/mapping.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/reader.h"

namespace tutti::controllers {
namespace {

wire::Document parse(std::string_view yaml) {
  wire::Document out;
  const Status status = wire::read_documents(yaml, [&](wire::Document&& document) {
    out = std::move(document);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), status.ok() ? "" : status.error().message);
  return out;
}

// "js-a-0:2 …; members a b": every group with its minimum, and topology where it has one.
std::string text_of(const Plan& plan) {
  std::string out = plan.has_root ? fmt::format("root {}: ", plan.root_minimum) : "";
  for (const auto& group : plan.groups) {
    out += fmt::format("{}={}{} ", group.name, group.minimum,
                       group.topology_key.empty() ? "" : "@" + group.topology_key);
  }
  out += "|";
  for (const auto& member : plan.members) {
    out += fmt::format(" {}{}", member.name, member.is_job ? "(job)" : "");
  }
  return out;
}

TEST(Mapping, plansEveryKindByItsShape) {
  struct Case {
    std::string_view version, kind, spec, plan;
  };
  constexpr Case cases[] = {
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{replicatedJobs: [{name: a, replicas: 2, template: {spec: {parallelism: 3, completions: "
       "3}}},"
       "{name: b, template: {metadata: {annotations: "
       "{alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}, spec: {}}}]}",
       "root 3: w-a-0=3 w-a-1=3 w-b-0=1@rack | w-a-0(job) w-a-1(job) w-b-0(job)"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [{name: a, template: {spec: "
       "{parallelism: 3}}}, {name: b, template: {spec: {}}}]}",
       "w-a-0=3 w-b-0=1 | w-a-0(job) w-b-0(job)"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{replicatedJobs: [{name: a, template: {spec: {}}}, {name: b, dependsOn: [{name: a, status: "
       "Complete}], template: {spec: {parallelism: 2}}}]}",
       "w-a-0=1 w-b-0=2 | w-a-0(job) w-b-0(job)"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
       "{startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 2, workerTemplate: {spec: {}}}}",
       "root 0: w-0=1 | w-0 w-0-1"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
       "{replicas: 2, leaderWorkerTemplate: {size: 3, workerTemplate: {spec: {}}}}",
       "root 0: w-0=3 w-1=3 | w-0 w-0-1 w-0-2 w-1 w-1-1 w-1-2"},
      {"ray.io/v1", "RayCluster",
       "{headGroupSpec: {template: {spec: {}}}, workerGroupSpecs: [{groupName: gpu, replicas: 2, "
       "numOfHosts: 2, template: {spec: {}}}]}",
       "w=5 | w-head-0 w-gpu-0 w-gpu-1 w-gpu-2 w-gpu-3"},
      {"ray.io/v1", "RayCluster",
       "{enableInTreeAutoscaling: true, headGroupSpec: {template: {spec: {}}}, workerGroupSpecs: "
       "[{groupName: gpu, replicas: 2, minReplicas: 1, template: {spec: {}}}, {groupName: cpu, "
       "template: {spec: {}}}]}",
       "root 2: w-head=1 w-gpu=1 w-cpu=0 | w-head-0 w-gpu-0 w-gpu-1 w-cpu-0"},
      {"ray.io/v1", "RayJob", "{rayClusterSpec: {headGroupSpec: {template: {spec: {}}}}}",
       "w=1 | w-head-0"},
      {"kubeflow.org/v1", "PyTorchJob",
       "{pytorchReplicaSpecs: {Master: {template: {spec: {}}}, Worker: {replicas: 2, template: "
       "{spec: {}}}}}",
       "w=3 | w-master-0 w-worker-0 w-worker-1"},
      {"kubeflow.org/v2beta1", "MPIJob",
       "{runPolicy: {schedulingPolicy: {minAvailable: 2}}, mpiReplicaSpecs: {Launcher: {template: "
       "{spec: {}}}, Worker: {replicas: 2, template: {spec: {}}}}}",
       "w=2 | w-launcher-0 w-worker-0 w-worker-1"},
      {"kubeflow.org/v2beta1", "MPIJob",
       "{launcherCreationPolicy: WaitForWorkersReady, mpiReplicaSpecs: {Launcher: {template: "
       "{spec: {}}}, Worker: {replicas: 2, template: {spec: {}}}}}",
       "w=2 | w-launcher-0 w-worker-0 w-worker-1"},
      {"kubeflow.org/v1", "TFJob", "{tfReplicaSpecs: {Worker: {template: {spec: {}}}}}",
       "w=1 | w-worker-0"},
      {"kubeflow.org/v1", "XGBoostJob", "{xgbReplicaSpecs: {Worker: {template: {spec: {}}}}}",
       "w=1 | w-worker-0"},
      {"kubeflow.org/v1", "PaddleJob", "{paddleReplicaSpecs: {Worker: {template: {spec: {}}}}}",
       "w=1 | w-worker-0"},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob",
       "{runtimeRef: {name: torch}, trainer: {numNodes: 2, resourcesPerNode: {requests: {cpu: "
       "4}}}}",
       "w=2 | w-node-0 w-node-1"},
      {"batch.volcano.sh/v1alpha1", "Job",
       "{minAvailable: 2, tasks: [{name: ps, replicas: 1, template: {spec: {}}}, {name: worker, "
       "replicas: 2, template: {spec: {}}}]}",
       "w=2 | w-ps-0 w-worker-0 w-worker-1"},
      {"serving.kserve.io/v1beta1", "InferenceService",
       "{predictor: {minReplicas: 2, model: {resources: {requests: {cpu: 1}}}}}",
       "| w-predictor-0 w-predictor-1"},
  };
  const wire::Document runtime = parse(
      "spec: {mlPolicy: {numNodes: 9}, template: {spec: {replicatedJobs: [{name: node, template: "
      "{spec: {template: {spec: {containers: [{name: n}]}}}}}]}}}");
  const Neighbours neighbours{[&](std::string_view kind, std::string_view name) {
    const bool known = kind == "ClusterTrainingRuntime" && name == "torch";
    return known ? &runtime.root() : nullptr;
  }};
  for (const auto& [version, kind, spec, expected] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", kind, spec));
    const auto* row = mapping_of(version, kind);
    ASSERT_NE(row, nullptr);
    const wire::Document document = parse(fmt::format("metadata: {{name: w}}\nspec: {}\n", spec));
    EXPECT_EQ(text_of(row->plan(document.root(), neighbours)), expected);
  }
}

// "label@key …" of every member, "+" where its own affinity keeps those of one value together.
std::string exclusive_text(const Plan& plan) {
  std::string out;
  for (const auto& member : plan.members) {
    out += member.name + ":";
    for (const auto& place : member.exclusive) {
      out +=
          fmt::format(" {}={}@{}{}{}", place.label.substr(place.label.find('/') + 1), place.value,
                      place.topology_key, place.everywhere ? "*" : "", place.together ? "+" : "");
    }
    out += "; ";
  }
  return out;
}

TEST(Mapping, givesADomainToOneJobOrReplicaWhereThatIsAsked) {
  const Neighbours nobody{[](std::string_view, std::string_view) { return nullptr; }};
  const auto plan = [&](const char* version, const char* kind, const std::string& yaml) {
    const wire::Document document = parse(yaml);
    return exclusive_text(mapping_of(version, kind)->plan(document.root(), nobody));
  };
  EXPECT_EQ(plan("jobset.x-k8s.io/v1alpha2", "JobSet",
                 "metadata: {name: w, namespace: t, annotations: "
                 "{alpha.jobset.sigs.k8s.io/exclusive-topology: rack}}\n"
                 "spec: {replicatedJobs: [{name: a, replicas: 2, template: {spec: {}}}]}\n"),
            "w-a-0: job-key=t.w-a-0@rack*; w-a-1: job-key=t.w-a-1@rack*; ");
  const std::string replicas =
      "spec: {replicas: 1, leaderWorkerTemplate: {size: 3, subGroupPolicy: {subGroupSize: 1}, "
      "workerTemplate: {spec: {}}}}\n";
  EXPECT_EQ(plan("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                 "metadata: {name: w, namespace: t, annotations: "
                 "{leaderworkerset.sigs.k8s.io/exclusive-topology: zone, "
                 "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack}}\n" +
                     replicas),
            "w-0: group-key=t.w-0@zone subgroup-key=t.w-0.0@rack+; "
            "w-0-1: group-key=t.w-0@zone subgroup-key=t.w-0.0@rack+; "
            "w-0-2: group-key=t.w-0@zone subgroup-key=t.w-0.1@rack+; ");
  EXPECT_EQ(plan("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                 "metadata: {name: w, namespace: t}\n" + replicas),
            "w-0:; w-0-1:; w-0-2:; ");
}

TEST(Mapping, survivesDocumentsWithoutWhatItLooksFor) {
  const wire::Document empty = parse("metadata: {name: w}\n");
  const Neighbours nobody{[](std::string_view, std::string_view) { return nullptr; }};
  for (const auto& [version, kind] : {std::pair{"jobset.x-k8s.io/v1alpha2", "JobSet"},
                                      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
                                      {"ray.io/v1", "RayCluster"},
                                      {"ray.io/v1", "RayJob"},
                                      {"kubeflow.org/v1", "PyTorchJob"},
                                      {"trainer.kubeflow.org/v1alpha1", "TrainJob"},
                                      {"batch.volcano.sh/v1alpha1", "Job"},
                                      {"serving.kserve.io/v1beta1", "InferenceService"}}) {
    SCOPED_TRACE(kind);
    EXPECT_TRUE(mapping_of(version, kind)->plan(empty.root(), nobody).members.empty());
  }
}

TEST(Mapping, knowsWhatServesAndWhatTrains) {
  EXPECT_EQ(mapping_of("apps/v1", "Deployment")->work, WorkClass::inference);
  EXPECT_EQ(mapping_of("serving.kserve.io/v1beta1", "InferenceService")->work,
            WorkClass::inference);
  EXPECT_EQ(mapping_of("batch/v1", "Job")->work, WorkClass::training);
  EXPECT_EQ(mapping_of("example.com/v1", "JobSet"), nullptr);
}

}  // namespace
}  // namespace tutti::controllers
