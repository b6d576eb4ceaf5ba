// Which kinds of objects say how pods are grouped: what must be watched of a cluster.
//
// Kinds above these (TrainJob makes JobSets, RayJob makes RayClusters) need not be looked at.
#pragma once

#include <tuple>

#include "base/std.h"
#include "model/object.h"

namespace tutti::grouping {

struct OwnerKind {
  std::string_view api_group;
  std::string_view kind;
  std::string_view plural;
  // Begins the names of groups in memory: "job:train", which no object of the API can be called.
  std::string_view prefix;
  bool wants_document = true;  // false: the model has all that matters
};

std::span<const OwnerKind> owner_kinds();

// Null: such objects say nothing here.
const OwnerKind* find_owner_kind(std::string_view api_version, std::string_view kind);
const OwnerKind* find_owner_kind(const model::Object& object);

// Identity of an owner in whichever version it is read.
struct OwnerKey {
  const OwnerKind* kind = nullptr;
  std::string ns;
  std::string name;
  auto operator<=>(const OwnerKey&) const = default;
};

// Whether a group of this name can only be one in memory.
bool is_memory_group(std::string_view name);

}  // namespace tutti::grouping
