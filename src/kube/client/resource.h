// What is read of an API server: a kind, and which of its objects.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::kube {

struct Resource {
  model::Kind kind = model::Kind::other;
  std::string group_version;  // "v1", "apps/v1", "scheduling.k8s.io/v1beta1"
  std::string plural;         // "pods"
  std::string field_selector;
  // Keep the JSON document on the objects: for kinds that are written back whole.
  bool keep_documents = false;
  // Read templates of pods: for those who make pods of them, or places.
  bool read_templates = false;
};

}  // namespace tutti::kube
