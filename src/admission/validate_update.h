// May this object become that one?
//
// Both have been validated each for itself; here is only what a change may not do. Status and
// labels may change freely. What changes through a subresource (binding a pod, resizing it) does
// not come this way, except that binding has a rule of its own below.
#pragma once

#include "admission/checks/field_problem.h"
#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::admission {

// Every field that changed and may not have; empty when the change is good. Requires: both are the
// same object, that is of one kind, namespace and name.
FieldProblems validate_update(const model::Object& before, const model::Object& after);

// May this pod be bound now? Not when it is bound already, gated, finished or being deleted.
FieldProblems validate_binding(const model::Pod& pod, std::string_view node);

}  // namespace tutti::admission
