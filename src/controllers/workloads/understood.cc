#include "controllers/workloads/understood.h"

#include "controllers/workloads/conventions.h"
#include "controllers/workloads/mapping.h"

namespace tutti::controllers {

bool is_understood(const model::Object& object) {
  if (mapping_of(object) != nullptr || is_foreign_group(object)) return true;
  if (object.kind != model::Kind::other) return false;
  const auto& other = static_cast<const model::OtherObject&>(object);
  return other.api_version.starts_with("trainer.kubeflow.org/") &&
         (other.kind_name == "TrainingRuntime" || other.kind_name == "ClusterTrainingRuntime");
}

}  // namespace tutti::controllers
