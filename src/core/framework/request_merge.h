// What of a request's status is the broker's to say, and how that is laid over what others said.
#pragma once

#include "model/admission_request.h"

namespace tutti::core {

// Gives `stored` the broker's part of the status of `ours`: admission, requeueing, counts, the
// checks there are, and the conditions of admission. States of checks that others have written
// since, PodsReady, Finished and reclaimable pods stay.
void merge_status(model::AdmissionRequest& stored, const model::AdmissionRequest& ours);

}  // namespace tutti::core
