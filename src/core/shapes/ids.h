// Dense ids. Each names a slot of one table of the cluster and cannot be mixed with another's.
#pragma once

#include <compare>
#include <functional>

#include "base/std.h"

namespace tutti::core {

inline constexpr std::uint32_t kNoIndex = 0xffffffffU;

template <typename Tag>
struct Id {
  std::uint32_t index = kNoIndex;
  constexpr bool valid() const { return index != kNoIndex; }
  auto operator<=>(const Id&) const = default;
};

using NodeId = Id<struct NodeTag>;    // a slot of the node table; slots are reused
using PodId = Id<struct PodTag>;      // a slot of the pod table; slots are reused
using GroupId = Id<struct GroupTag>;  // a PodGroup or CompositePodGroup, seen or only named
using ShapeId = Id<struct ShapeTag>;  // pods alike in everything their spec asks of a node
using LabelClassId = Id<struct LabelClassTag>;  // pods alike in namespace, labels and terminating
using ResourceId = Id<struct ResourceTag>;      // a resource name
using TaintSetId = Id<struct TaintSetTag>;      // a distinct list of taints

// Resources every node has. Others (extended, hugepages) get ids as they are first seen.
inline constexpr ResourceId kCpu{0};               // milli-cpu
inline constexpr ResourceId kMemory{1};            // bytes
inline constexpr ResourceId kEphemeralStorage{2};  // bytes
inline constexpr ResourceId kPods{3};              // pod slots; every pod asks for one

}  // namespace tutti::core

template <typename Tag>
struct std::hash<tutti::core::Id<Tag>> {
  std::size_t operator()(tutti::core::Id<Tag> id) const noexcept { return id.index; }
};
