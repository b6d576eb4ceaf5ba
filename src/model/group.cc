#include "model/group.h"

namespace tutti::model {

bool is_mode_written(const std::vector<std::pair<std::string, std::string>>& annotations) {
  const std::string* applied = find(annotations, kLastApplied);
  if (applied != nullptr && applied->find("\"disruptionMode\"") != std::string::npos) return true;
  const std::string* ours = find(annotations, kDisruptionModeAnnotation);
  return ours != nullptr && *ours == "single";
}

std::string_view scheduled_condition_type(const PodGroup& group) {
  return group.api_version == kSchedulingV1Alpha2 ? "PodGroupScheduled"
                                                  : "PodGroupInitiallyScheduled";
}

bool members_may_differ_in_priority(const PodGroup& group) {
  return group.api_version == kSchedulingV1Alpha2;
}

}  // namespace tutti::model
