// Preemption without fair sharing. Work of other queues may be reclaimed while they are over their
// quota; whether the preemptor may end up borrowing decides over whom of them it may turn to.
#include <algorithm>

#include "quota/candidates.h"
#include "quota/victims.h"

namespace tutti::quota {
namespace {

enum class Standpoint : std::uint8_t {
  hierarchical,  // the preemptor, or a cohort between, has a right to the quota against this queue
  priority,      // both have the same right
  own_queue,
};

struct Candidate {
  Victim victim;
  QuotaNodeId meets_at;  // the lowest cohort above both queues
  Standpoint standpoint = Standpoint::own_queue;
  bool only_without_borrowing = false;
  bool only_over_quota = false;  // of the own queue
};

class Classical {
 public:
  Classical(Tree& tree, const Preemptor& preemptor, const PreemptionPolicy& policy,
            std::span<const Running> running, const Suffices& suffices)
      : tree_(tree),
        preemptor_(preemptor),
        policy_(policy),
        running_(running),
        suffices_(suffices) {
    find_advantages();
    for (std::size_t i = 0; i < running.size(); ++i) consider(i);
    std::sort(candidates_.begin(), candidates_.end(),
              [this](const Candidate& l, const Candidate& r) { return goes_before(l, r); });
  }

  std::vector<Victim> victims() {
    for (const bool borrowing : attempts()) {
      auto found = attempt(borrowing);
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  // Whoever is below the lowest node whose quota holds the request has a right to it against
  // everybody outside that node.
  void find_advantages() {
    std::vector<Amount> remaining;
    for (const Charge& charge : preemptor_.charges) remaining.push_back(charge.amount);
    bool holds = false;
    for (QuotaNodeId node = preemptor_.queue; tree_.has_parent(node); node = tree_.parent(node)) {
      bool fits = true;
      for (std::size_t i = 0; i < remaining.size(); ++i) {
        const FlavorResourceId of = preemptor_.charges[i].of;
        fits = fits && tree_.borrowed(node, of, remaining[i]) == 0;
        remaining[i] = left_of(remaining[i], tree_.local_available(node, of));
      }
      holds = holds || fits;
      if (holds) advantage_at_.push_back(tree_.parent(node));
    }
  }

  void consider(std::size_t index) {
    const Running& each = running_[index];
    const Right right = right_over(tree_, preemptor_, policy_, each);
    if (right == Right::none) return;
    Candidate made{.victim = {.running = index}, .meets_at = preemptor_.queue};
    made.only_over_quota = right == Right::while_over_quota;
    if (each.queue != preemptor_.queue) {
      made.meets_at = tree_.common_ancestor(each.queue, preemptor_.queue);
      if (!over_quota_below(tree_, each.queue, made.meets_at, preemptor_.needed)) return;
      judge(made, each);
    }
    candidates_.push_back(made);
  }

  void judge(Candidate& candidate, const Running& each) const {
    candidate.victim.reason = Reason::in_cohort_reclamation;
    candidate.standpoint = Standpoint::hierarchical;
    if (std::find(advantage_at_.begin(), advantage_at_.end(), candidate.meets_at) !=
        advantage_at_.end()) {
      return;
    }
    candidate.standpoint = Standpoint::priority;
    if (leaves_first(preemptor_, each)) return;
    candidate.only_without_borrowing = !policy_.borrow_within_cohort ||
                                       each.priority >= preemptor_.priority ||
                                       (policy_.threshold && each.priority > *policy_.threshold);
    if (!candidate.only_without_borrowing) {
      candidate.victim.reason = Reason::in_cohort_reclaim_while_borrowing;
    }
  }

  bool goes_before(const Candidate& left, const Candidate& right) const {
    const Running& l = running_[left.victim.running];
    const Running& r = running_[right.victim.running];
    if (l.leaving != r.leaving) return l.leaving;
    if (harm_of(l) != harm_of(r)) return harm_of(l) < harm_of(r);
    if (left.standpoint != right.standpoint) return left.standpoint < right.standpoint;
    return taken_first(preemptor_, l, r);
  }

  std::vector<bool> attempts() const {
    if (preemptor_.tenure == Tenure::guaranteed) return {true, false};
    if (preemptor_.tenure == Tenure::burst) return {false};
    const auto any = [this](Standpoint from, Standpoint to) {
      return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& each) {
        return each.standpoint >= from && each.standpoint <= to;
      });
    };
    if (!any(Standpoint::hierarchical, Standpoint::priority)) return {true};
    if (!policy_.borrow_within_cohort) {
      const bool exhausted = std::any_of(
          preemptor_.needed.begin(), preemptor_.needed.end(), [this](FlavorResourceId of) {
            return tree_.usage(preemptor_.queue, of) >= tree_.nominal(preemptor_.queue, of);
          });
      if (exhausted) return {true};
      if (!any(Standpoint::hierarchical, Standpoint::hierarchical)) return {false, true};
    }
    return {true, false};
  }

  std::vector<Victim> attempt(bool borrowing) {
    Rehearsal rehearsal(tree_, running_);
    const auto fits = [&] { return fits_now(rehearsal, borrowing); };
    for (const Candidate& each : candidates_) {
      if (each.standpoint != Standpoint::own_queue) {
        if (borrowing && each.only_without_borrowing) continue;
        const QuotaNodeId queue = running_[each.victim.running].queue;
        if (!over_quota_below(tree_, queue, each.meets_at, preemptor_.needed)) continue;
      } else if (each.only_over_quota && !over_quota(tree_, preemptor_.queue, preemptor_.needed)) {
        continue;
      }
      rehearsal.take(each.victim);
      if (!fits()) continue;
      rehearsal.spare(fits);
      return {rehearsal.victims().begin(), rehearsal.victims().end()};
    }
    return {};
  }

  bool fits_now(const Rehearsal& rehearsal, bool borrowing) const {
    if (!tree_.fits(preemptor_.queue, preemptor_.charges)) return false;
    const bool borrows = std::any_of(
        preemptor_.charges.begin(), preemptor_.charges.end(), [this](const Charge& charge) {
          return charge.amount > 0 &&
                 tree_.borrowed(preemptor_.queue, charge.of, charge.amount) > 0;
        });
    if (borrows && !borrowing) return false;
    return !suffices_ || suffices_(rehearsal.victims());
  }

  Tree& tree_;
  const Preemptor& preemptor_;
  const PreemptionPolicy& policy_;
  std::span<const Running> running_;
  const Suffices& suffices_;
  std::vector<QuotaNodeId> advantage_at_;  // cohorts: against whoever is below them, elsewhere
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<Victim> classical_victims(Tree& tree, const Preemptor& preemptor,
                                      const PreemptionPolicy& policy,
                                      std::span<const Running> running, const Suffices& suffices) {
  if (!tree.active(preemptor.queue)) return {};
  return Classical(tree, preemptor, policy, running, suffices).victims();
}

}  // namespace tutti::quota
