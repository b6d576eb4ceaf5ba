// What an API server says of CEL selectors before it stores an object.
#pragma once

#include "admission/checks/field_problem.h"
#include "devices/inventory/selectors.h"
#include "model/object.h"

namespace tutti::sim {

// Selectors of a DeviceClass, ResourceClaim or ResourceClaimTemplate that do not compile, with line
// and column. Nothing for other kinds. `compiled` keeps what was compiled for those that follow.
admission::FieldProblems selector_problems(const model::Object& object,
                                           devices::SelectorTable& compiled);

}  // namespace tutti::sim
