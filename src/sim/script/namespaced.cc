#include "sim/script/namespaced.h"

#include <string>

#include "controllers/workloads/understood.h"

namespace tutti::sim {

bool is_namespaced(const model::Object& object) {
  if (object.kind != model::Kind::other) return model::facts(object.kind).namespaced;
  const std::string& kind = static_cast<const model::OtherObject&>(object).kind_name;
  const bool own = (kind == "DaemonSet" && object.api_version == "apps/v1") ||
                   (kind == "CronJob" && object.api_version == "batch/v1");
  return own || (controllers::is_understood(object) && kind != "ClusterTrainingRuntime");
}

}  // namespace tutti::sim
