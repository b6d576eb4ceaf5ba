// Which kinds of work wait in queues, and how they are held.
//
//   way        held by                   kinds
//   suspended  their own field;          Job, JobSet, RayCluster, RayJob, TrainJob, PyTorchJob,
//              they make no pods         TFJob, MPIJob, XGBoostJob, PaddleJob
//   groups     gates of pods, which are  LeaderWorkerSet (each replica), StatefulSet
//              admitted together
//   pods       gates of pods, each for   Deployment, InferenceService, Pod
//              itself
#pragma once

#include "base/std.h"
#include "controllers/queues/work/queue_rules.h"
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
