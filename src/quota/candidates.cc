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

bool leaves_first(const Preemptor& preemptor, const Running& victim) {
  return victim.tenure == Tenure::burst && preemptor.tenure < Tenure::burst;
}

int harm_of(const Running& victim) {
  if (victim.surplus_of != Running::kWhole) return 0;
  return victim.tenure == Tenure::burst ? 1 : 2;
}

Right right_over(const Tree& tree, const Preemptor& preemptor, const PreemptionPolicy& policy,
                 const Running& victim) {
  if (tree.root(victim.queue) != tree.root(preemptor.queue)) return Right::none;
  const bool holds_something_needed =
      std::any_of(victim.charges.begin(), victim.charges.end(), [&](const Charge& charge) {
        return charge.amount > 0 && std::find(preemptor.needed.begin(), preemptor.needed.end(),
                                              charge.of) != preemptor.needed.end();
      });
  if (!holds_something_needed) return Right::none;
  if (leaves_first(preemptor, victim)) return Right::by_policy;
  const bool lower = victim.priority < preemptor.priority;
  if (victim.queue != preemptor.queue) {
    using Reclaim = PreemptionPolicy::Reclaim;
    const bool reclaims =
        policy.reclaim == Reclaim::any || (policy.reclaim == Reclaim::lower_priority && lower);
    return reclaims ? Right::by_policy : Right::none;
  }
  using WithinQueue = PreemptionPolicy::WithinQueue;
  const bool newer_equal = policy.within_queue == WithinQueue::lower_or_newer_equal_priority &&
                           victim.priority == preemptor.priority &&
                           victim.timestamp > preemptor.timestamp;
  if (policy.within_queue != WithinQueue::never && (lower || newer_equal)) return Right::by_policy;
  return preemptor.tenure == Tenure::guaranteed ? Right::while_over_quota : Right::none;
}

bool taken_first(const Preemptor& preemptor, const Running& left, const Running& right) {
  if (left.leaving != right.leaving) return left.leaving;
  if (harm_of(left) != harm_of(right)) return harm_of(left) < harm_of(right);
  const bool left_own = left.queue == preemptor.queue;
  const bool right_own = right.queue == preemptor.queue;
  if (left_own != right_own) return right_own;
  if (left_own && left.history != right.history) return left.history > right.history;
  if (left.priority != right.priority) return left.priority < right.priority;
  if (left.reserved_at != right.reserved_at) return left.reserved_at > right.reserved_at;
  return left.uid < right.uid;
}

bool Rehearsal::goes_with_the_rest(const Victim& victim) const {
  const std::size_t rest = running_[victim.running].surplus_of;
  return rest != Running::kWhole &&
         std::any_of(victims_.begin(), victims_.end(),
                     [&](const Victim& other) { return other.running == rest; });
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
