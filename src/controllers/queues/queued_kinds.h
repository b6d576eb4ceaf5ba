// Which kinds of work wait in queues, and how they are held.
//
//   way        held by                                kinds
//   suspended  their own field; they make no pods     Job, JobSet, RayCluster, RayJob, TrainJob,
//                                                     PyTorchJob, TFJob, MPIJob, XGBoostJob, PaddleJob
//   groups     gates of their pods, which are groups  LeaderWorkerSet (each replica), StatefulSet
//   pods       gates of their pods, each for itself   Deployment, InferenceService, Pod
#pragma once

#include "base/std.h"
#include "controllers/queues/queue_rules.h"
#include "model/object.h"

namespace tutti::controllers {

enum class HoldWay : std::uint8_t { suspended, groups, pods };

struct QueuedKind {
  std::string_view api_group;
  std::string_view kind;
  std::string_view framework;  // as Kueue's configuration calls it
  HoldWay way;
};

// Null: it waits in no queue.
const QueuedKind* queued_kind_of(std::string_view api_version, std::string_view kind);
const QueuedKind* queued_kind_of(const model::Object& object);
// As above, but null as well if the configuration leaves such work alone.
const QueuedKind* queued_kind_of(const model::Object& object, const QueueRules& rules);

}  // namespace tutti::controllers
