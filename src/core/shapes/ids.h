// Ids of the tables of the cluster.
#pragma once

#include "base/id.h"
#include "base/std.h"

namespace tutti::core {

using tutti::kNoIndex;

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
