// The node that a pod is for, as each pod of a DaemonSet is for one.
#pragma once

#include "base/std.h"
#include "model/pod.h"

namespace tutti::explain {

// The one that every term of its required affinity names; empty: there is none.
std::string_view only_node_of(const model::PodSpec& spec);

}  // namespace tutti::explain
