#include "controllers/workloads/mapping.h"

#include <algorithm>

#include "controllers/dependents.h"
#include "controllers/workloads/shapes.h"

namespace tutti::controllers {
namespace {

constexpr MappingRow kRows[] = {
    {"jobset.x-k8s.io", "JobSet", WorkClass::training, plan_job_set},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", WorkClass::inference, plan_leader_worker_set},
    {"ray.io", "RayCluster", WorkClass::training, plan_ray_cluster},
    {"ray.io", "RayJob", WorkClass::training, plan_ray_job},
    {"trainer.kubeflow.org", "TrainJob", WorkClass::training, plan_train_job},
    {"kubeflow.org", "PyTorchJob", WorkClass::training, plan_pytorch_job},
    {"kubeflow.org", "TFJob", WorkClass::training, plan_tf_job},
    {"kubeflow.org", "MPIJob", WorkClass::training, plan_mpi_job},
    {"kubeflow.org", "XGBoostJob", WorkClass::training, plan_xgboost_job},
    {"kubeflow.org", "PaddleJob", WorkClass::training, plan_paddle_job},
    {"batch.volcano.sh", "Job", WorkClass::training, plan_volcano_job},
    {"serving.kserve.io", "InferenceService", WorkClass::inference, plan_inference_service},
    {"apps", "Deployment", WorkClass::inference, nullptr},
    {"apps", "StatefulSet", WorkClass::inference, nullptr},
    {"batch", "Job", WorkClass::training, nullptr},
};

}  // namespace

const MappingRow* mapping_of(std::string_view api_version, std::string_view kind) {
  const auto row = std::ranges::find_if(kRows, [&](const MappingRow& candidate) {
    return candidate.kind == kind && candidate.api_group == api_group_of(api_version);
  });
  return row != std::end(kRows) ? &*row : nullptr;
}

const MappingRow* mapping_of(const model::Object& object) {
  if (object.kind != model::Kind::other) {
    return mapping_of(object.api_version, model::facts(object.kind).name);
  }
  return mapping_of(object.api_version, static_cast<const model::OtherObject&>(object).kind_name);
}

}  // namespace tutti::controllers
