// Which kinds of other projects are workloads, and what each of them means to a scheduler.
//
//   kind                     groups                   minimum             topology    class
//   JobSet                   one per Job, under a     all pods of the     exclusive   training
//                            root                     Job that run at
//                                                     once; all groups
//   LeaderWorkerSet          one per replica, under   its size; as many   exclusive   inference
//                            a root                   replicas as fit
//   RayCluster, RayJob       one                      head and workers    –           training
//   … with autoscaling       one for the head and     head, minReplicas;  –           training
//                            per worker group, under  all groups that
//                            a root                   have one
//   TrainJob                 one                      numNodes            –           training
//   PyTorchJob, TFJob,       one                      minAvailable, else  –           training
//   MPIJob, XGBoostJob,                               all
//   PaddleJob
//   Volcano Job              one                      minAvailable, else  –           training
//                                                     all
//   InferenceService, plain  none: pods stand alone   –                   –           inference
//   Deployment, StatefulSet
//
// "exclusive": the kind's own annotation exclusive-topology: a domain for each group, and for no
// other such group.
#pragma once

#include <functional>

#include "base/std.h"
#include "controllers/workloads/plan.h"
#include "model/object.h"
#include "wire/value.h"

namespace tutti::controllers {

enum class WorkClass : std::uint8_t { training, inference };

// What else a plan may need: the document of another object, empty if there is none.
struct Neighbours {
  std::function<const wire::Value*(std::string_view kind, std::string_view name)> find;
};

struct MappingRow {
  std::string_view api_group;
  std::string_view kind;
  WorkClass work;
  // Null for kinds whose pods others make.
  Plan (*plan)(const wire::Value& document, const Neighbours& neighbours);
};

// Null: the object is no workload that we know.
const MappingRow* mapping_of(const model::Object& object);
// The group and kind of an uninterpreted object, or of an interpreted one.
const MappingRow* mapping_of(std::string_view api_version, std::string_view kind);

}  // namespace tutti::controllers
