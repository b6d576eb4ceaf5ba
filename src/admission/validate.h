// Is this object one that the API accepts?
//
// Looks at the object alone, after defaults were applied; what it names elsewhere is references.h's
// matter. Pure: the same object gives the same problems in the same order.
#pragma once

#include "admission/checks/field_problem.h"
#include "model/object.h"

namespace tutti::admission {

// Every problem of the object, not only the first; empty when it is good. Kinds that Tutti does not
// interpret are checked in their metadata only.
FieldProblems validate(const model::Object& object);

}  // namespace tutti::admission
