// Solution: what trying to place a tree of groups came to.
#pragma once

#include "base/std.h"
#include "core/framework/attempt.h"
#include "core/framework/plugin_status.h"
#include "core/placement/leaf_solver.h"
#include "core/placement/task.h"

namespace tutti::core {

// On success the transaction holds the placements.
struct Solution {
  Code code = Code::unschedulable;
  std::string message;
  std::vector<LeafResult> leaves;  // every leaf of the subtree, in order
  std::vector<PlacementReport> placements;
  std::string placement;              // "key=value" of the chosen domain
  std::optional<Concern> refused_by;  // see Attempt

  bool success() const { return code == Code::success; }
};

// Marks every leaf of the subtree as kept out for the reason given.
void refuse_leaves(const Subtree& tree, Code code, const std::string& message,
                   std::vector<LeafResult>& leaves);
// The whole subtree is kept out by this verdict, whatever is free. One without a plugin says that
// the request contradicts itself.
Solution refusal(const Subtree& tree, const PluginStatus& verdict);

}  // namespace tutti::core
