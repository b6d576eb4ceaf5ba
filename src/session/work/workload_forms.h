// Workload forms: where objects of other projects have the templates of what is made of them.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "store/store.h"
#include "whatif/rehearsal.h"

namespace tutti::session {

// The template that the owner made the pod or Job from. Empty path: the owner is not known, is made
// by another itself, or has no such template in its document.
whatif::Form workload_form(const store::Store& objects, const model::OwnerReference& owner,
                           const model::ObjectMeta& made);

}  // namespace tutti::session
