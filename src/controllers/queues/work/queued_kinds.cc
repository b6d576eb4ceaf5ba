#include "controllers/queues/work/queued_kinds.h"

#include <algorithm>

#include "controllers/dependents.h"

namespace tutti::controllers {
namespace {

constexpr QueuedKind kQueuedKinds[] = {
    {"batch", "Job", "batch/job", HoldWay::suspended},
    {"jobset.x-k8s.io", "JobSet", "jobset.x-k8s.io/jobset", HoldWay::suspended},
    {"ray.io", "RayCluster", "ray.io/raycluster", HoldWay::suspended},
    {"ray.io", "RayJob", "ray.io/rayjob", HoldWay::suspended},
    {"trainer.kubeflow.org", "TrainJob", "trainer.kubeflow.org/trainjob", HoldWay::suspended},
    {"kubeflow.org", "PyTorchJob", "kubeflow.org/pytorchjob", HoldWay::suspended},
    {"kubeflow.org", "TFJob", "kubeflow.org/tfjob", HoldWay::suspended},
    {"kubeflow.org", "MPIJob", "kubeflow.org/mpijob", HoldWay::suspended},
    {"kubeflow.org", "XGBoostJob", "kubeflow.org/xgboostjob", HoldWay::suspended},
    {"kubeflow.org", "PaddleJob", "kubeflow.org/paddlejob", HoldWay::suspended},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkerset.x-k8s.io/leaderworkerset",
     HoldWay::groups},
    {"apps", "StatefulSet", "statefulset", HoldWay::groups},
    {"apps", "Deployment", "deployment", HoldWay::pods},
    {"serving.kserve.io", "InferenceService", "deployment", HoldWay::pods},
    {"", "Pod", "pod", HoldWay::pods},
};

}  // namespace

const QueuedKind* queued_kind_of(std::string_view api_version, std::string_view kind) {
  const auto row = std::ranges::find_if(kQueuedKinds, [&](const QueuedKind& candidate) {
    return candidate.kind == kind && candidate.api_group == api_group_of(api_version);
  });
  return row != std::end(kQueuedKinds) ? &*row : nullptr;
}

const QueuedKind* queued_kind_of(const model::Object& object) {
  if (object.kind != model::Kind::other) {
    return queued_kind_of(object.api_version, model::facts(object.kind).name);
  }
  return queued_kind_of(object.api_version,
                        static_cast<const model::OtherObject&>(object).kind_name);
}

const QueuedKind* queued_kind_of(const model::Object& object, const QueueRules& rules) {
  const QueuedKind* kind = queued_kind_of(object);
  const auto& enabled = rules.frameworks;
  const bool left_alone = kind != nullptr && !enabled.empty() &&
                          std::ranges::find(enabled, kind->framework) == enabled.end();
  return left_alone ? nullptr : kind;
}

}  // namespace tutti::controllers
