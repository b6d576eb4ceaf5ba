#include "controllers/queues/work/queued_work.h"

#include <algorithm>

#include "controllers/queues/work/queued_document.h"
#include "controllers/queues/work/queued_job.h"
#include "controllers/queues/work/queued_kinds.h"

namespace tutti::controllers {

std::unique_ptr<QueuedWork> queued_work(const model::ObjectPtr& object, const Cluster& cluster,
                                        wire::Decoder& decoder) {
  const QueuedKind* kind = queued_kind_of(*object);
  if (kind == nullptr || kind->way != HoldWay::suspended) return nullptr;
  if (object->kind == model::Kind::job) {
    auto job = std::static_pointer_cast<const model::Job>(object);
    if (job->pods.spec == nullptr) return nullptr;
    return std::make_unique<QueuedJob>(std::move(job), cluster);
  }
  if (object->kind != model::Kind::other || !object->document) return nullptr;
  return std::make_unique<QueuedDocument>(object, cluster, decoder);
}

std::int32_t promised_count(const model::AdmissionRequest& request, const model::PodSet& set) {
  if (!request.status.admission) return set.count;
  const auto& all = request.status.admission->pod_sets;
  const auto at = std::ranges::find(all, set.name, &model::PodSetAssignment::pod_set);
  return at != all.end() ? at->count.value_or(set.count) : set.count;
}

}  // namespace tutti::controllers
