#include "quota/candidates.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace tutti::quota {

std::string_view word(Reason reason) {
  constexpr std::array<std::string_view, 4> kWords = {"InClusterQueue", "InCohortReclamation",
                                                      "InCohortReclaimWhileBorrowing",
                                                      "InCohortFairSharing"};
  return kWords[static_cast<std::size_t>(reason)];
}

bool over_quota(const Tree& tree, QuotaNodeId node, std::span<const FlavorResourceId> needed) {
  return std::any_of(needed.begin(), needed.end(),
                     [&](FlavorResourceId of) { return tree.borrows(node, of); });
}

bool over_quota_below(const Tree& tree, QuotaNodeId queue, QuotaNodeId ancestor,
                      std::span<const FlavorResourceId> needed) {
  for (QuotaNodeId node = queue; node != ancestor; node = tree.parent(node)) {
    if (!over_quota(tree, node, needed)) return false;
  }
  return true;
}

bool may_leave(const Tree& tree, const Preemptor& preemptor, const PreemptionPolicy& policy,
               const Running& victim) {
  if (tree.root(victim.queue) != tree.root(preemptor.queue)) return false;
  const bool holds_something_needed =
      std::any_of(victim.charges.begin(), victim.charges.end(), [&](const Charge& charge) {
        return charge.amount > 0 && std::find(preemptor.needed.begin(), preemptor.needed.end(),
                                              charge.of) != preemptor.needed.end();
      });
  if (!holds_something_needed) return false;
  const bool lower = victim.priority < preemptor.priority;
  if (victim.queue != preemptor.queue) {
    using Reclaim = PreemptionPolicy::Reclaim;
    return policy.reclaim == Reclaim::any || (policy.reclaim == Reclaim::lower_priority && lower);
  }
  using WithinQueue = PreemptionPolicy::WithinQueue;
  if (policy.within_queue == WithinQueue::never) return false;
  if (lower || policy.within_queue == WithinQueue::lower_priority) return lower;
  return victim.priority == preemptor.priority && victim.timestamp > preemptor.timestamp;
}

bool taken_first(const Preemptor& preemptor, const Running& left, const Running& right) {
  if (left.leaving != right.leaving) return left.leaving;
  const bool left_own = left.queue == preemptor.queue;
  const bool right_own = right.queue == preemptor.queue;
  if (left_own != right_own) return right_own;
  if (left_own && left.history != right.history) return left.history > right.history;
  if (left.priority != right.priority) return left.priority < right.priority;
  if (left.reserved_at != right.reserved_at) return left.reserved_at > right.reserved_at;
  return left.uid < right.uid;
}

Rehearsal::~Rehearsal() {
  while (!victims_.empty()) spare_last();
  if (joined_ != nullptr) tree_.remove_usage(joined_->queue, joined_->charges);
}

void Rehearsal::take(Victim victim) {
  discharge(victim);
  victims_.push_back(victim);
}

void Rehearsal::spare_last() {
  charge(victims_.back());
  victims_.pop_back();
}

void Rehearsal::join(const Preemptor& preemptor) {
  TUTTI_CHECK(joined_ == nullptr);
  joined_ = &preemptor;
  tree_.add_usage(preemptor.queue, preemptor.charges);
}

}  // namespace tutti::quota
