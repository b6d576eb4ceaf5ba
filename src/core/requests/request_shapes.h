// RequestShapes: requests alike in everything that an attempt at them can depend on, beside what is
// free. What refuses one of them refuses all, so that one is tried where many wait.
//
// Labels by which controllers tell their own pods apart (of a Job, its name and uid) make no shape.
#pragma once

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/interned.h"
#include "model/admission_request.h"
#include "quota/tenure.h"

namespace tutti::core {

using RequestShapeId = Id<struct RequestShapeTag>;

class RequestShapes {
 public:
  // The shape of the request, which has it until it is released.
  RequestShapeId take(std::shared_ptr<const model::AdmissionRequest> request, std::int64_t priority,
                      quota::Tenure tenure);
  void release(RequestShapeId shape) { shapes_.release(shape); }
  // Frees shapes that nobody has when they are many.
  void sweep() { shapes_.sweep(); }

 private:
  struct Example {
    std::shared_ptr<const model::AdmissionRequest> request;
    std::int64_t priority = 0;
    quota::Tenure tenure = quota::Tenure::ordinary;
  };

  Interned<RequestShapeId, Example> shapes_;
};

}  // namespace tutti::core
