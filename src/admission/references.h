// Rules across objects: what an object names must be there, and trees of groups must be trees.
//
// Most names may point at nothing yet (a pod's group, a group's parent, a claim's volume): the
// scheduler waits for those and says so. Here is only what no later event can make right, or what
// the API server itself looks up.
#pragma once

#include "admission/checks/field_problem.h"
#include "base/std.h"
#include "model/object.h"

namespace tutti::admission {

// The objects that an object may refer to, itself among them or not.
class World {
 public:
  virtual ~World() = default;
  // nullptr when there is none. The object lives until the world changes.
  virtual const model::Object* find(const model::ObjectKey& key) const = 0;
};

// Checks one object against the others:
//   PodGroup           v1alpha2: its Workload exists, is not being deleted, and has the template
//   PodGroup and CompositePodGroup
//                      the parents above it form no cycle and at most four levels
FieldProblems check_references(const model::Object& object, const World& world);

// What is asked once, when an object comes to be, and not again when that changes:
//   ResourceClaim and ResourceClaimTemplate
//                      adminAccess needs the label kAdminAccess: "true" on the namespace, as far
//                      as that is there
// An object with a creation time came to be elsewhere, where someone let it in.
FieldProblems check_creation(const model::Object& object, const World& world);

inline constexpr std::string_view kAdminAccess = "resource.kubernetes.io/admin-access";

}  // namespace tutti::admission
