// Where the pods of other projects' kinds are described in their documents.
//
//   kind                  one set for each            name             pods
//   JobSet                replicated Job              its name         replicas × as run at once
//   RayCluster, RayJob    head; group of workers      head; groupName  1; replicas × numOfHosts
//   PyTorchJob, TFJob,    role                        in lower case    replicas
//   MPIJob, XGBoostJob,
//   PaddleJob
//   TrainJob              step that trains, which is  node             numNodes
//                         in the runtime
#pragma once

#include "base/std.h"
#include "wire/value.h"

namespace tutti::controllers {

struct DocumentSet {
  std::string name;
  std::int32_t count = 1;
  std::int32_t per_job = 1;     // pods of one Job, where Jobs make them
  wire::Value* form = nullptr;  // the template of the pods, in the document
};

// In the order in which Kueue has them; none for TrainJob, whose pods its document does not have.
std::vector<DocumentSet> document_sets(wire::Value& root, std::string_view kind);

}  // namespace tutti::controllers
