#include "controllers/workloads/minimum_field.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/decoded.h"

namespace tutti::controllers {
namespace {

// "spec.minAvailable=3", the part that is not written yet in brackets; "none".
std::string field_of(std::string_view version, std::string_view kind, std::string_view spec,
                     std::string_view group = "w", std::string_view meta = {}) {
  const auto text =
      fmt::format("{{apiVersion: {}, kind: {}, metadata: {{name: w, namespace: t{}}}, spec: {}}}",
                  version, kind, meta, spec);
  const auto field = minimum_field(*test::decoded(text), group);
  if (!field) return "none";
  std::string out;
  for (std::size_t i = 0; i < field->path.size(); ++i) {
    if (i > 0) out += '.';
    if (i == field->present) out += '[';
    out += field->path[i];
  }
  if (field->present < field->path.size()) out += ']';
  out += fmt::format("={}", field->now);
  return field->pods == 1 ? out : fmt::format("{} of {} pods", out, field->pods);
}

TEST(MinimumField, isWherePeopleWriteIt) {
  struct Case {
    std::string_view version, kind, spec, field;
  };
  constexpr std::string_view kRoles =
      "pytorchReplicaSpecs: {Master: {template: {spec: {}}}, Worker: {replicas: 3, template: "
      "{spec: {}}}}";
  const std::string torch = fmt::format("{{{}}}", kRoles);
  const std::string torch_of_two =
      fmt::format("{{runPolicy: {{schedulingPolicy: {{minAvailable: 2}}}}, {}}}", kRoles);
  const std::string torch_with_policy = fmt::format("{{runPolicy: {{}}, {}}}", kRoles);
  const Case cases[] = {
      {"scheduling.volcano.sh/v1beta1", "PodGroup", "{minMember: 3}", "spec.minMember=3"},
      {"scheduling.x-k8s.io/v1alpha1", "PodGroup", "{}", "spec.[minMember]=1"},
      {"batch.volcano.sh/v1alpha1", "Job",
       "{minAvailable: 2, tasks: [{replicas: 3, template: {spec: {}}}]}", "spec.minAvailable=2"},
      {"batch.volcano.sh/v1alpha1", "Job", "{tasks: [{replicas: 3, template: {spec: {}}}]}",
       "spec.[minAvailable]=3"},
      {"kubeflow.org/v1", "PyTorchJob", torch, "spec.[runPolicy.schedulingPolicy.minAvailable]=4"},
      {"kubeflow.org/v1", "PyTorchJob", torch_with_policy,
       "spec.runPolicy.[schedulingPolicy.minAvailable]=4"},
      {"kubeflow.org/v1", "PyTorchJob", torch_of_two,
       "spec.runPolicy.schedulingPolicy.minAvailable=2"},
      {"batch/v1", "Job", "{parallelism: 3, template: {spec: {containers: []}}}",
       "spec.[scheduling.schedulingPolicy.gang.minCount]=3"},
      {"batch/v1", "Job",
       "{parallelism: 3, scheduling: {schedulingPolicy: {gang: {}}}, template: {spec: "
       "{containers: []}}}",
       "spec.scheduling.schedulingPolicy.gang.[minCount]=3"},
      {"batch/v1", "Job",
       "{parallelism: 3, scheduling: {schedulingPolicy: {gang: {minCount: 2}}}, template: {spec: "
       "{containers: []}}}",
       "spec.scheduling.schedulingPolicy.gang.minCount=2"},
      {"jobset.x-k8s.io/v1alpha2", "JobSet",
       "{replicatedJobs: [{name: a, template: {spec: {parallelism: 3}}}]}", "none"},
      {"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
       "{leaderWorkerTemplate: {size: 3, workerTemplate: {spec: {}}}}", "none"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(field_of(each.version, each.kind, each.spec), each.field) << each.spec;
  }
}

TEST(MinimumField, ofARayClusterCountsReplicasOfOneGroup) {
  constexpr std::string_view kGroups =
      "headGroupSpec: {template: {spec: {}}}, workerGroupSpecs: [{groupName: a, template: {spec: "
      "{}}}, {groupName: b, minReplicas: 3, numOfHosts: 2, template: {spec: {}}}]";
  const std::string scales = fmt::format("{{enableInTreeAutoscaling: true, {}}}", kGroups);
  EXPECT_EQ(field_of("ray.io/v1", "RayCluster", scales, "w-b"),
            "spec.workerGroupSpecs.1.minReplicas=6 of 2 pods");
  EXPECT_EQ(field_of("ray.io/v1", "RayJob", fmt::format("{{rayClusterSpec: {}}}", scales), "w-b"),
            "spec.rayClusterSpec.workerGroupSpecs.1.minReplicas=6 of 2 pods");
  EXPECT_EQ(field_of("ray.io/v1", "RayCluster", scales, "w-head"), "none");
  EXPECT_EQ(field_of("ray.io/v1", "RayCluster", fmt::format("{{{}}}", kGroups), "w"), "none");
}

TEST(MinimumField, isNotThereInWhatAnotherWrites) {
  EXPECT_EQ(field_of("scheduling.volcano.sh/v1beta1", "PodGroup", "{minMember: 3}", "w",
                     ", ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: "
                     "w, uid: u, controller: true}]"),
            "none");
}

}  // namespace
}  // namespace tutti::controllers
