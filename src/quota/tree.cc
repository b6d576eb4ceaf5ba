#include "quota/tree.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::quota {

const Tree::Node& Tree::at(QuotaNodeId node) const {
  TUTTI_CHECK(node.index < nodes_.size() && nodes_[node.index].used, "a quota node that is gone");
  return nodes_[node.index];
}

Tree::Node& Tree::at(QuotaNodeId node) { return const_cast<Node&>(std::as_const(*this).at(node)); }

std::size_t Tree::cell_index(QuotaNodeId node, FlavorResourceId of) const {
  TUTTI_CHECK(!stale_, "a quota tree was edited and not settled");
  const Node& here = at(node);
  const auto& place = columns_[here.columns].place;
  if (of.index >= place.size() || place[of.index] == kNoIndex) return SIZE_MAX;
  return here.first_cell + place[of.index];
}

const Tree::Cell& Tree::cell(QuotaNodeId node, FlavorResourceId of) const {
  static constexpr Cell kEmpty{};
  const std::size_t index = cell_index(node, of);
  return index == SIZE_MAX ? kEmpty : cells_[index];
}

// --- shape -----------------------------------------------------------------------------------

std::optional<QuotaNodeId> Tree::find(Kind kind, std::string_view name) const {
  const auto& names = kind == Kind::queue ? queues_ : cohorts_;
  const auto found = names.find(name);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

QuotaNodeId Tree::common_ancestor(QuotaNodeId left, QuotaNodeId right) const {
  TUTTI_CHECK(root(left) == root(right));
  while (left != right) {
    QuotaNodeId& deeper = depth(left) >= depth(right) ? left : right;
    deeper = parent(deeper);
  }
  return left;
}

std::span<const FlavorResourceId> Tree::flavor_resources_of(QuotaNodeId root) const {
  TUTTI_CHECK(!stale_, "a quota tree was edited and not settled");
  return columns_[at(root).columns].of;
}

// --- figures ---------------------------------------------------------------------------------

bool Tree::lists(QuotaNodeId node, FlavorResourceId of) const { return cell(node, of).listed; }

std::optional<std::int64_t> Tree::borrowing_limit(QuotaNodeId node, FlavorResourceId of) const {
  const std::int64_t limit = cell(node, of).borrowing_limit;
  if (limit == kNone) return std::nullopt;
  return limit;
}

Amount Tree::subtree_quota(QuotaNodeId node, FlavorResourceId of) const {
  return cell(node, of).subtree;
}

Amount Tree::local_available(QuotaNodeId node, FlavorResourceId of) const {
  const Cell& here = cell(node, of);
  return left_of(here.local, here.usage);
}

Amount Tree::available(QuotaNodeId node, FlavorResourceId of) const {
  if (!active(node)) return 0;
  // Going up, `owned` is what the nodes passed so far have for themselves. A borrowing limit on the
  // way bounds what may come from above it, and the lowest bound counts.
  Amount owned = 0;
  std::optional<Amount> bound;
  for (;; node = parent(node)) {
    const Cell& here = cell(node, of);
    if (!has_parent(node)) {
      const Amount all = owned + here.subtree - here.usage;
      return bound ? std::min(*bound, all) : all;
    }
    owned += left_of(here.local, here.usage);
    if (here.borrowing_limit == kNone) continue;
    const Amount from_above = here.subtree - here.local - visible(here) + here.borrowing_limit;
    bound = bound ? std::min(*bound, owned + from_above) : owned + from_above;
  }
}

Amount Tree::potential(QuotaNodeId node, FlavorResourceId of) const {
  return cell(node, of).potential;
}

Amount Tree::borrowed(QuotaNodeId node, FlavorResourceId of, Amount more) const {
  const Cell& here = cell(node, of);
  return left_of(here.usage + more, here.subtree);
}

Reach Tree::reach(QuotaNodeId queue, FlavorResourceId of, Amount amount) const {
  Amount remaining = amount;
  for (QuotaNodeId node = queue;; node = parent(node)) {
    const bool owns_it = borrowed(node, of, remaining) == 0;
    if (owns_it || !has_parent(node)) {
      return {.borrow_level = height(node), .within_subtree = owns_it && has_parent(node)};
    }
    remaining -= local_available(node, of);
  }
}

bool Tree::fits(QuotaNodeId queue, std::span<const Charge> charges) const {
  if (!active(queue)) return false;
  return std::all_of(charges.begin(), charges.end(), [&](const Charge& charge) {
    if (charge.amount == 0) return true;
    return lists(queue, charge.of) && charge.amount <= available(queue, charge.of);
  });
}

// --- usage -----------------------------------------------------------------------------------

void Tree::add_usage(QuotaNodeId queue, std::span<const Charge> charges) {
  for (const Charge& charge : charges) {
    TUTTI_CHECK(charge.amount >= 0);
    change_usage(queue, charge.of, charge.amount);
  }
}

void Tree::remove_usage(QuotaNodeId queue, std::span<const Charge> charges) {
  for (const Charge& charge : charges) {
    TUTTI_CHECK(charge.amount >= 0);
    TUTTI_CHECK(usage(queue, charge.of) >= charge.amount, "more given back than was charged");
    change_usage(queue, charge.of, -Amount{charge.amount});
  }
}

void Tree::change_usage(QuotaNodeId queue, FlavorResourceId of, Amount change) {
  TUTTI_CHECK(kind(queue) == Kind::queue);
  if (change == 0) return;
  if (cell_index(queue, of) ==
      SIZE_MAX) {  // nobody of this root lists it; its usage counts, though
    auto held = all_held();
    held.push_back({.queue = queue, .of = of, .amount = change});
    rebuild(std::move(held));
    return;
  }
  // The parent sees as much of the change as shows beyond what is private.
  for (QuotaNodeId node = queue; change != 0 && node.valid(); node = parent(node)) {
    Cell& here = cells_[cell_index(node, of)];
    const Amount before = visible(here);
    here.usage += change;
    change = visible(here) - before;
  }
}

}  // namespace tutti::quota
