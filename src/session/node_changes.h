// Node changes: what a plan does to the cluster's nodes before it asks: adds some, drains some.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "sim/script/script.h"
#include "store/store.h"

namespace tutti::session {

struct NodeChanges {
  std::vector<std::string> add;    // "8", or "8:NODE" for eight more like that node
  std::vector<std::string> drain;  // "NODE", or "KEY=VALUE" for all nodes with that label

  bool none() const { return add.empty() && drain.empty(); }
};

// What is wrong with such a text as far as it alone tells; empty: nothing.
std::string added_nodes_problem(const std::string& text);

// The actions, all at `now`. Nodes that are added are named after the one they are like. Those that
// are drained are cordoned; their pods go at once, and come back as pods that wait unless somebody
// makes them anew or they belong to the node.
Result<sim::Script> change_nodes(const store::Store& objects, const NodeChanges& changes,
                                 Millis now);

}  // namespace tutti::session
