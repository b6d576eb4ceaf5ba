// Which kinds of other projects are workloads, and what each of them means to a scheduler.
//
//   kind                        groups                     minimum              topology     class
//   JobSet                      one per Job, under a root  all pods of the Job  exclusive- training
//                                                          that run at once;    topology
//                                                          all groups
//   LeaderWorkerSet             one per replica, under a   its size; as many    exclusive-
//   inference
//                               root                       replicas as fit      topology
//   RayCluster, RayJob          one                        head and workers     – training … with
//   autoscaling          one for the head and per   head, minReplicas;   –            training
//                               worker group, under a      all groups that
//                               root                       have one
//   TrainJob                    one                        numNodes             – training
//   PyTorchJob, TFJob, MPIJob,  one                        minAvailable, else   – training
//   XGBoostJob, PaddleJob                                  all
//   Volcano Job                 one                        minAvailable, else   – training
//                                                          all
//   InferenceService, plain     none: pods stand alone     –                    – inference
//   Deployment, StatefulSet
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

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
