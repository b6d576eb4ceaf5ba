// What objects say of the tenure of requests (model/quota_annotations.h).
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "quota/tenure.h"

namespace tutti::core {

// Whether work is opportunistic; absent: nothing is said of it, or nothing that is understood.
std::optional<bool> opportunistic_by(const model::Labels& annotations);
// What a request says of its own, whose queue says `by_queue`.
quota::Tenure declared_tenure(const model::AdmissionRequest& request, bool by_queue);

}  // namespace tutti::core
