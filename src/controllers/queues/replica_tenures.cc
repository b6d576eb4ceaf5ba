#include "controllers/queues/replica_tenures.h"

#include "controllers/labels.h"
#include "controllers/queues/replica_order.h"
#include "controllers/queues/request_maker.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/queues/work/queued_kinds.h"
#include "model/pod.h"
#include "model/quota_annotations.h"

namespace tutti::controllers {

using model::Kind;
using model::ObjectKey;

void ReplicaTenures::observe(const store::WatchEvent& event) {
  const model::Object& object = event.object();
  const bool part =
      object.kind == Kind::admission_request ||
      (object.kind == Kind::pod && model::find(object.meta.labels, kManagedPod) != nullptr);
  if (!part) {
    const bool says = model::find(object.meta.annotations, model::kGuaranteedReplicas) != nullptr;
    if (says) look_at(model::key_of(object));
    return;
  }
  const FindObject find = [this](const ObjectKey& key) { return objects().get(key).get(); };
  const model::Object* owner =
      object.kind == Kind::pod ? &object : controller_above(object.meta, find);
  if (owner == nullptr) return;
  const bool is_set = guaranteed_replicas(*owner).has_value();
  const model::Object* set = is_set ? owner : guaranteeing_set(owner->meta, find);
  if (set != nullptr) look_at(model::key_of(*set));
}

void ReplicaTenures::reconcile(const ObjectKey& key) {
  const auto set = objects().get(key);
  if (set == nullptr || set->meta.deletion) {
    refused_.erase(key);
    return;
  }
  const auto guaranteed = guaranteed_replicas(*set);
  const std::string* said = model::find(set->meta.annotations, model::kGuaranteedReplicas);
  if (!guaranteed) {
    std::string& refused = refused_[key];
    if (said == nullptr || refused == *said) return;
    refused = *said;
    cluster().record({kQueueReporter, set, true, "InvalidAnnotation",
                      std::string(model::kGuaranteedReplicas) + " must be a whole number, is '" +
                          refused + "': no replica is guaranteed"});
    return;
  }
  refused_.erase(key);
  std::int32_t rank = 0;
  for (const ObjectKey& request : replicas_of(*set, cluster())) {
    tell(request, rank++ < *guaranteed ? "guaranteed" : "burst");
  }
}

void ReplicaTenures::tell(const ObjectKey& request, std::string_view tenure) {
  const auto found = objects().get(request);
  if (found == nullptr) return;
  const std::string* known = model::find(found->meta.annotations, model::kTenure);
  if (known != nullptr && *known == tenure) return;
  // One that is gone needs no word.
  (void)cluster().patch_meta(request, [&](model::ObjectMeta& meta) {
    set_label(meta.annotations, model::kTenure, std::string(tenure));
  });
}

}  // namespace tutti::controllers
