#include "sim/script/applied.h"

#include "controllers/queues/hold.h"
#include "model/apps.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/storage.h"
#include "store/typed.h"

namespace tutti::sim {
namespace {

template <typename T>
void keep_if_empty(T& field, const T& current) {
  if (field.empty()) field = current;
}

void keep_metadata(model::ObjectMeta& meta, const model::ObjectMeta& current) {
  meta.uid = current.uid;
  meta.resource_version = 0;
  meta.generation = current.generation;
  meta.created = current.created;
  meta.deletion = current.deletion;
  meta.deletion_grace_seconds = current.deletion_grace_seconds;
  keep_if_empty(meta.finalizers, current.finalizers);
  keep_if_empty(meta.owners, current.owners);
}

void keep(model::Node& next, const model::Node& current, const model::Node& document) {
  next.conditions = document.conditions.empty() ? current.conditions : document.conditions;
  const bool offers = !document.capacity.empty() || !document.allocatable.empty();
  next.capacity = offers ? document.capacity : current.capacity;
  next.allocatable = offers ? document.allocatable : current.allocatable;
  next.images = document.images.empty() ? current.images : document.images;
  next.declared_features =
      document.declared_features.empty() ? current.declared_features : document.declared_features;
}

void keep(model::PersistentVolume& next, const model::PersistentVolume& current) {
  if (!next.claim_name.empty()) return;
  next.claim_namespace = current.claim_namespace;
  next.claim_name = current.claim_name;
  next.claim_uid = current.claim_uid;
}

}  // namespace

std::shared_ptr<model::Object> applied(const model::Object& current,
                                       const model::Object& document) {
  auto next = store::clone(document);
  store::copy_status(*next, current);
  keep_metadata(next->meta, current.meta);
  store::with_type(document, [&]<typename T>(const T& written) {
    auto& made = static_cast<T&>(*next);
    const auto& present = static_cast<const T&>(current);
    if constexpr (std::is_same_v<T, model::Pod>) {
      keep_if_empty(made.node_name, present.node_name);
    } else if constexpr (std::is_same_v<T, model::Node>) {
      keep(made, present, written);
    } else if constexpr (std::is_same_v<T, model::PodDisruptionBudget>) {
      made.disruptions_allowed = written.disruptions_allowed;
    } else if constexpr (std::is_same_v<T, model::PersistentVolumeClaim>) {
      keep_if_empty(made.volume_name, present.volume_name);
    } else if constexpr (std::is_same_v<T, model::PersistentVolume>) {
      keep(made, present);
    } else {
      static_cast<void>(made);
      static_cast<void>(present);
      static_cast<void>(written);
    }
  });
  controllers::keep_hold(*next, current);
  return next;
}

}  // namespace tutti::sim
