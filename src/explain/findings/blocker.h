// The one dominant blocker: which of many reasons a person should look at first.
//
// A plugin says what its refusals are about (core/framework/concern.h); each concern belongs to one
// blocker. Of the plugins that keep nodes from taking a pod, one is dominant:
//
//   1. Only nodes that come nearest count: those that the fewest plugins reject, usually one, so
//      that removing that plugin's objection would free the node (survey.h works this out). A node
//      too small even when empty, one without the devices, and one that the pod's own selector
//      rules out, count only if all are.
//   2. An objection that room or time can lift (code unschedulable) goes before one that needs a
//      change of the node or the pod (unresolvable): of twelve nodes with ten tainted for other
//      work and two full, the pod waits for the two. On one and the same node it is the other way
//      round: room is no help on a tainted node that is full too.
//   3. Then the plugin that keeps the most nodes.
//   4. Then the order in which the blockers are declared, then the plugin's name.
#pragma once

#include "base/std.h"
#include "core/framework/attempt.h"
#include "core/framework/concern.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// A plugin's objection, with the number of nodes it keeps from taking the pod.
struct Rejection {
  std::string plugin;
  core::Code code = core::Code::unschedulable;
  std::size_t nodes = 0;
  core::Concern concern = core::Concern::nodes;  // the plugin's
  bool operator==(const Rejection&) const = default;
};

// A plugin with a rule of its own counts as affinity: it says which nodes suit a pod.
Blocker blocker_of(core::Concern concern);

// One entry per plugin and code. A plugin may give several reasons for one node, so it is counted
// with the largest of its reasons; a reason that holds for every node counts all of them.
std::vector<Rejection> rejections(const core::Diagnosis& diagnosis);

// Rules 2 to 4; null when there is no rejection.
const Rejection* dominant(const std::vector<Rejection>& rejections);

}  // namespace tutti::explain
