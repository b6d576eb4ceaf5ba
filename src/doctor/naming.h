// What work names in labels, read the same way by every check.
#pragma once

#include <functional>

#include "base/std.h"
#include "model/object.h"
#include "store/store.h"

namespace tutti::doctor {

inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kQueueClassLabel = "kueue.x-k8s.io/priority-class";

// Work that a person wrote and that names a LocalQueue: an object with the label and without an
// owner, or a request (Kueue's Workload) of nobody.
struct QueuedObject {
  const model::Object* object = nullptr;
  std::string queue;  // in its own namespace
  std::string field;  // where it says so
};
// In order of kinds and names.
std::vector<QueuedObject> queued_objects(const store::Store& objects);

// As an API knows the kind: "RayCluster" of those that are kept uninterpreted.
std::string kind_of(const model::Object& object);
// "job", "raycluster.ray.io": what kubectl calls it.
std::string kubectl_word(const model::Object& object);

}  // namespace tutti::doctor
