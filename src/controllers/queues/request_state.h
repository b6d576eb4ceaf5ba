// What a request's status says to those who hold and start its pods, and what they say in it.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/queues/work/queued_work.h"
#include "model/admission_request.h"

namespace tutti::controllers {

using RequestPtr = std::shared_ptr<const model::AdmissionRequest>;

// Its pods may run: it is admitted, and nobody has taken that back.
bool may_run(const model::AdmissionRequest& request);
bool is_evicted(const model::AdmissionRequest& request);
bool is_finished(const model::AdmissionRequest& request);

// Each writes what is new, and nothing if nothing is.
void say_finished(const RequestPtr& request, const WorkEnding& ending, Cluster& cluster);
// Whether its pods are ready, as far as they may run.
void say_ready(const RequestPtr& request, bool ready, Cluster& cluster);
void say_reclaimable(const RequestPtr& request, std::vector<model::ReclaimablePods> pods,
                     Cluster& cluster);

}  // namespace tutti::controllers
