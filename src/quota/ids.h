// Ids of the tables of the quota arithmetic.
#pragma once

#include "base/id.h"
#include "base/std.h"

namespace tutti::quota {

using QuotaNodeId = Id<struct QuotaNodeTag>;     // a ClusterQueue or Cohort; slots are reused
using FlavorId = Id<struct FlavorTag>;           // the name of a ResourceFlavor
using ResourceId = Id<struct NamedResourceTag>;  // a resource name
using FlavorResourceId = Id<struct FlavorResourceTag>;  // what quota is counted in

}  // namespace tutti::quota
