// The quota tree against its own definition: figures follow from what objects say and what queues
// hold, by recursion, and from nothing that settle() or a change of usage left behind.
#include <fmt/format.h>

#include <algorithm>

#include "quota/tree.h"

namespace tutti::quota {

// The figures of one flavor-resource, every one computed anew when it is asked for.
struct Tree::Definition {
  const Tree& tree;
  FlavorResourceId of;

  const Quota* quota(QuotaNodeId node) const {
    const auto& quotas = tree.at(node).spec.quotas;
    const auto found = std::find_if(quotas.begin(), quotas.end(),
                                    [&](const Quota& each) { return each.of == of; });
    return found == quotas.end() ? nullptr : &*found;
  }

  bool is_child(QuotaNodeId child, QuotaNodeId node) const {
    return tree.kind(node) == Kind::cohort && tree.active(child) &&
           tree.at(child).spec.parent == tree.name(node);
  }

  Amount subtree(QuotaNodeId node) const {
    Amount sum = quota(node) == nullptr ? 0 : quota(node)->nominal;
    for (const QuotaNodeId child : tree.order_) {
      if (is_child(child, node)) sum += subtree(child) - local(child);
    }
    return sum;
  }

  Amount local(QuotaNodeId node) const {
    const Quota* said = quota(node);
    if (said == nullptr || !said->lending_limit) return 0;
    return left_of(subtree(node), *said->lending_limit);
  }

  Amount usage(QuotaNodeId node) const {
    if (tree.kind(node) == Kind::queue) return tree.usage(node, of);
    Amount sum = 0;
    for (const QuotaNodeId child : tree.order_) {
      if (is_child(child, node)) sum += left_of(usage(child), local(child));
    }
    return sum;
  }

  Amount potential(QuotaNodeId node) const {
    if (!tree.active(node)) return 0;
    const auto& parent = tree.at(node).spec.parent;
    if (parent.empty()) return subtree(node);
    const Amount all = local(node) + potential(*tree.find(Kind::cohort, parent));
    const Quota* said = quota(node);
    if (said == nullptr || !said->borrowing_limit) return all;
    return std::min(all, subtree(node) + *said->borrowing_limit);
  }
};

std::string Tree::check_consistency() const {
  if (stale_) return "edited and not settled";
  std::size_t known = 0;
  for (const Node& node : nodes_) known += node.used ? 1 : 0;
  if (known != order_.size() || known != queues_.size() + cohorts_.size()) {
    return "nodes are missing from the order";
  }
  for (const QuotaNodeId node : order_) {
    for (const FlavorResourceId of : flavor_resources_of(root(node))) {
      const Definition definition{*this, of};
      const auto differs = [&](std::string_view what, Amount held, Amount rebuilt) {
        if (held == rebuilt) return std::string();
        return fmt::format("{} of {} in {} {}: {} is held, {} follows", what,
                           flavor_resources_.name(flavor_resources_.resource(of)),
                           kind(node) == Kind::queue ? "queue" : "cohort", name(node),
                           to_int64(held), to_int64(rebuilt));
      };
      for (const std::string& problem :
           {differs("subtree quota", subtree_quota(node, of), definition.subtree(node)),
            differs("local quota", local_quota(node, of), definition.local(node)),
            differs("usage", usage(node, of), definition.usage(node)),
            differs("potential", potential(node, of), definition.potential(node))}) {
        if (!problem.empty()) return problem;
      }
    }
  }
  return {};
}

}  // namespace tutti::quota
