// What the versions of scheduling.k8s.io call the same things; decode_group.cc lists how they
// differ.
#pragma once

#include "base/std.h"
#include "model/group.h"

namespace tutti::wire {

enum class GroupForm { v1alpha2, later };
inline GroupForm group_form_of(const model::Object& object) {
  return object.api_version == model::kSchedulingV1Alpha2 ? GroupForm::v1alpha2 : GroupForm::later;
}

// The name of a gang's minimum depends on what the gang counts.
inline constexpr std::string_view kMinimumOfPods = "minCount";
inline constexpr std::string_view kMinimumOfGroups = "minGroupCount";

}  // namespace tutti::wire
