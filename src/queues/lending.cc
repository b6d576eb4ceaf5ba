#include "queues/lending.h"

#include <algorithm>

namespace tutti::queues {
namespace {

using quota::Amount;
using quota::FlavorResourceId;
using quota::QuotaNodeId;

class Books {
 public:
  Books(const quota::Tree& tree, FlavorResourceId of, Lent& lent)
      : tree_(tree), of_(of), lent_(lent) {}

  // `asked`: what the node gives to those outside of it.
  void settle(QuotaNodeId node, Amount asked) {
    if (asked > 0) lent_[{node, of_}] = asked;
    if (tree_.kind(node) == quota::Tree::Kind::queue) return;
    Amount wanted = asked;
    Amount idle = 0;
    for (const QuotaNodeId child : tree_.children(node)) {
      wanted += taken_by(child);
      idle += idle_of(child);
    }
    wanted -= std::min(wanted, tree_.nominal(node, of_));
    const Amount from_children = std::min(wanted, idle);
    Amount shared = 0;  // of the idle quota of the children so far
    Amount given = 0;
    for (const QuotaNodeId child : tree_.children(node)) {
      shared += idle_of(child);
      // Rounded over the running sum, so that the parts make up the whole.
      const Amount upto = idle > 0 ? from_children * shared / idle : Amount{0};
      settle(child, upto - given);
      given = upto;
    }
  }

 private:
  // What the parent sees of the child's quota, and of its usage.
  Amount offered(QuotaNodeId child) const {
    return tree_.subtree_quota(child, of_) - tree_.local_quota(child, of_);
  }
  Amount visible(QuotaNodeId child) const {
    return quota::left_of(tree_.usage(child, of_), tree_.local_quota(child, of_));
  }
  Amount taken_by(QuotaNodeId child) const {
    return quota::left_of(visible(child), offered(child));
  }
  Amount idle_of(QuotaNodeId child) const { return quota::left_of(offered(child), visible(child)); }

  const quota::Tree& tree_;
  FlavorResourceId of_;
  Lent& lent_;
};

}  // namespace

Lent lent_by_all(const quota::Tree& tree) {
  Lent lent;
  for (const QuotaNodeId node : tree.nodes()) {
    if (tree.has_parent(node) || tree.kind(node) == quota::Tree::Kind::queue) continue;
    for (const FlavorResourceId of : tree.flavor_resources_of(node)) {
      Books(tree, of, lent).settle(node, 0);
    }
  }
  return lent;
}

}  // namespace tutti::queues
