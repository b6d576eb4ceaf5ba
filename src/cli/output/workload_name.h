// WorkloadName: what people wrote of which a pod or a group is a part, in the words they wrote.
#pragma once

#include <compare>

#include "base/std.h"
#include "model/object.h"
#include "store/store.h"

namespace tutti::cli {

struct WorkloadName {
  std::string ns;
  std::string name;
  std::string kind;
  auto operator<=>(const WorkloadName&) const = default;

  // "Job ml/pretrain".
  std::string text() const { return kind + " " + ns + "/" + name; }
};

// The object itself by its kind, namespace and name.
WorkloadName name_of(const model::Object& object);

struct Workload {
  WorkloadName name;
  model::ObjectPtr object;  // null: it does not exist any more
};

// What is at the top of those that control the object: the Deployment of a pod of its ReplicaSet.
// Nothing for what nobody controls; pods that belong to a node are nobody's.
std::optional<Workload> workload_of(const store::Store& objects, const model::Object& object);

// The queue that the object names in Kueue's words; empty: none.
std::string queue_of(const model::Object& object);

}  // namespace tutti::cli
