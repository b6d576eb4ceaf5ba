#include "core/placement/solution.h"

#include "base/check.h"

namespace tutti::core {

void refuse_leaves(const Subtree& tree, Code code, const std::string& message,
                   std::vector<LeafResult>& leaves) {
  TUTTI_CHECK(code != Code::success, "a refusal is no success");
  for (const auto& child : tree.children) refuse_leaves(child, code, message, leaves);
  if (tree.members.empty()) return;
  LeafResult refused;
  refused.leaf = tree.group;
  refused.attempt.code = code;
  refused.attempt.message = message;
  refused.attempt.tried = tree.members.size();
  for (const PodId pod : tree.members) refused.unplaced.push_back({pod});
  leaves.push_back(std::move(refused));
}

Solution refusal(const Subtree& tree, const PluginStatus& verdict) {
  Solution refused;
  if (verdict.code == Code::error) refused.code = Code::error;
  refused.message = verdict.reason;
  if (!verdict.plugin.empty()) refused.refused_by = verdict.concern;
  refuse_leaves(tree, refused.code, refused.message, refused.leaves);
  return refused;
}

}  // namespace tutti::core
