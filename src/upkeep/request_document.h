// Requests (Kueue's Workloads) as they are sent: with what their typed fields know beyond their
// document, so that what comes back says the same.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"

namespace tutti::upkeep {

// The document that the request is to be written with; null: it needs none.
std::shared_ptr<const std::string> full_document(const model::AdmissionRequest& request);

}  // namespace tutti::upkeep
