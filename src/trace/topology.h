// Clusters that nobody has: equal nodes in equal domains.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/job.h"

namespace tutti::trace {

// "block=4,rack=8,host=16,gpu=8,model=H100,cpu=192,memory=2048Gi": the product of the levels, from
// the widest to host; gpu, model, cpu, memory and pods are of one host. Several joined with '+' are
// one cluster, and the numbers of the widest level go on. Names are the first letters of the levels
// with numbers as wide as the largest: b03-r05-h11, so that their order is the order of places.
Result<NodeList> make_nodes(std::string_view spec);

}  // namespace tutti::trace
