// What the scheduler says of requests and queues (Kueue's kinds), as JSON merge patches. Lists are
// replaced whole, so a patch of a request names the version it was made from.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"

namespace tutti::daemon {

// Admission, conditions, checks, requeueing and counts; what is absent there is taken away.
std::string request_status_body(const model::AdmissionRequest& request);
// The checks alone.
std::string request_checks_body(const model::AdmissionRequest& request);
// Deactivates it.
std::string request_inactive_body(const model::AdmissionRequest& request);

// The status of a ClusterQueue, LocalQueue, Cohort or AdmissionCheck.
std::string queue_status_body(const model::Object& queue);

}  // namespace tutti::daemon
