// Where people write how many members a gang needs at least.
//
//   kind                              field                                          counts
//   Job of batch/v1                   spec.scheduling.schedulingPolicy.gang.minCount pods
//   Volcano Job                       spec.minAvailable                              pods
//   PyTorchJob, TFJob, MPIJob,        spec.runPolicy.schedulingPolicy.minAvailable   pods
//   XGBoostJob, PaddleJob
//   RayCluster, RayJob that scale     workerGroupSpecs[].minReplicas                 replicas
//   PodGroup of Volcano and of        spec.minMember                                 pods
//   scheduler-plugins
//
// Gangs of all other kinds are as large as the workload itself: there is nothing to be lowered that
// would not take work away.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::controllers {

struct MinimumField {
  std::vector<std::string> path;  // names, and numbers of items
  std::size_t present = 0;        // as many parts of the path are in the document
  std::int32_t pods = 1;          // that one of what it counts stands for
  std::int32_t now = 1;           // what it comes to, written or not
};

// `group`: as the plan of mapping.h calls it. Empty: the object says no such number, or is made by
// another that would write it again.
std::optional<MinimumField> minimum_field(const model::Object& object, std::string_view group);

}  // namespace tutti::controllers
