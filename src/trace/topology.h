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
//
// "nvlink=18hosts,host=1" is a level between the host and what is above it: 18 hosts that are one
// clique, of which host=N are in each. "nvlink=8" after gpu says that the GPUs of a host are one.
// "gpu=8xA100:mig=1g.5gb*7": eight A100, each cut into seven, which are asked for by that name.
Result<NodeList> make_nodes(std::string_view spec);

}  // namespace tutti::trace
