#include "model/group.h"

namespace tutti::model {

std::string_view scheduled_condition_type(const PodGroup& group) {
  return group.api_version == kSchedulingV1Alpha2 ? "PodGroupScheduled"
                                                  : "PodGroupInitiallyScheduled";
}

bool members_may_differ_in_priority(const PodGroup& group) {
  return group.api_version == kSchedulingV1Alpha2;
}

}  // namespace tutti::model
