// The counterpart of wire/decode/topology_assignment.h.
#pragma once

#include "base/std.h"
#include "model/admission_request.h"
#include "wire/encode/overlay.h"

namespace tutti::wire {

// Lays the assignment over the member topologyAssignment; one that says the same stays as written.
void write_topology_assignment(Overlay& at, bool v1beta1,
                               const std::optional<model::TopologyAssignment>& assignment);

}  // namespace tutti::wire
