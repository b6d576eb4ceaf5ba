// RequestShapes: requests alike in everything that an attempt at them can depend on, beside what is
// free. What refuses one of them refuses all, so that one is tried where many wait.
//
// Labels by which controllers tell their own pods apart (of a Job, its name and uid) make no shape.
#pragma once

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/interned.h"
#include "model/admission_request.h"

namespace tutti::core {

using RequestShapeId = Id<struct RequestShapeTag>;

class RequestShapes {
 public:
  // The shape of the request, which has it until it is released.
  RequestShapeId take(std::shared_ptr<const model::AdmissionRequest> request,
                      std::int64_t priority);
  void release(RequestShapeId shape) { shapes_.release(shape); }
  // Frees shapes that nobody has when they are many.
  void sweep() { shapes_.sweep(); }
  // From now on requests that run differently long are not alike.
  void heed_run_times() { heeds_run_times_ = true; }

 private:
  struct Example {
    std::shared_ptr<const model::AdmissionRequest> request;
    std::int64_t priority = 0;
  };

  Interned<RequestShapeId, Example> shapes_;
  bool heeds_run_times_ = false;
};

}  // namespace tutti::core
