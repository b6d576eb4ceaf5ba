// Which domain takes how many pods, as Kueue writes it: one entry per domain in v1beta1, columns
// with common values and beginnings taken out in v1beta2.
#pragma once

#include "model/admission_request.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

void read_topology_assignment(const Field& at, bool v1beta1, model::TopologyAssignment& out);

}  // namespace tutti::wire
