// Dense ids of the quota arithmetic. Each names a slot of one table and cannot be mixed with
// another's.
#pragma once

#include <compare>

#include "base/std.h"

namespace tutti::quota {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

template <typename Tag>
struct Id {
  std::uint32_t index = kNoIndex;
  constexpr bool valid() const { return index != kNoIndex; }
  auto operator<=>(const Id&) const = default;
};

using QuotaNodeId = Id<struct QuotaNodeTag>;     // a ClusterQueue or Cohort; slots are reused
using FlavorId = Id<struct FlavorTag>;           // the name of a ResourceFlavor
using ResourceId = Id<struct NamedResourceTag>;  // a resource name
using FlavorResourceId = Id<struct FlavorResourceTag>;  // what quota is counted in

}  // namespace tutti::quota
