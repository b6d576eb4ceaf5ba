// What the two searches for victims share: who may be looked at, in which order, and a rehearsal on
// the tree that undoes itself.
#pragma once

#include "base/std.h"
#include "quota/victims.h"

namespace tutti::quota {

// Whether any needed flavor-resource is over the node's quota.
bool over_quota(const Tree& tree, QuotaNodeId node, std::span<const FlavorResourceId> needed);
// Whether the queue and every cohort above it, below `ancestor`, is.
bool over_quota_below(const Tree& tree, QuotaNodeId queue, QuotaNodeId ancestor,
                      std::span<const FlavorResourceId> needed);

// Whether `victim` may go for the preemptor, shares and quotas aside. It must hold something
// that is needed, under the same root.
enum class Right : std::uint8_t {
  none,
  while_over_quota,  // of its own queue: only while that uses more than it owns
  by_policy,
};
Right right_over(const Tree& tree, const Preemptor& preemptor, const PreemptionPolicy& policy,
                 const Running& victim);
// Whether it leaves for anyone who is firmer: burst.
bool leaves_first(const Preemptor& preemptor, const Running& victim);
// What it costs that the victim leaves, whatever else is said of it: the least for pods that their
// work can do without.
int harm_of(const Running& victim);

// Whether `left` is taken before `right`: who is leaving anyway; the lesser harm; other queues; in
// the own queue the larger history; lower priority; the newest reservation; uid. Kueue looks at
// histories inside any one queue; among several foreign queues that is no order.
bool taken_first(const Preemptor& preemptor, const Running& left, const Running& right);

// Charges and victims on trial. What was changed is undone in the end.
class Rehearsal {
 public:
  Rehearsal(Tree& tree, std::span<const Running> running) : tree_(tree), running_(running) {}
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  ~Rehearsal();

  void take(Victim victim);
  // Takes away the latest victim from the list and gives its charges back.
  void spare_last();
  // Charges of the preemptor count from here on.
  void join(const Preemptor& preemptor);
  // Goes through the victims from the last but one to the first and spares whoever `still_fits`
  // without. The last was the one that made it fit. No part is spared of what goes whole.
  template <typename StillFits>
  void spare(const StillFits& still_fits);

  std::span<const Victim> victims() const { return victims_; }

 private:
  void charge(const Victim& victim) {
    const Running& each = running_[victim.running];
    tree_.add_usage(each.queue, each.charges);
  }
  void discharge(const Victim& victim) {
    const Running& each = running_[victim.running];
    tree_.remove_usage(each.queue, each.charges);
  }
  bool goes_with_the_rest(const Victim& victim) const;

  Tree& tree_;
  std::span<const Running> running_;
  std::vector<Victim> victims_;
  const Preemptor* joined_ = nullptr;
};

template <typename StillFits>
void Rehearsal::spare(const StillFits& still_fits) {
  for (std::size_t i = victims_.size() - (victims_.empty() ? 0 : 1); i-- > 0;) {
    const Victim candidate = victims_[i];
    if (goes_with_the_rest(candidate)) continue;
    charge(candidate);
    victims_.erase(victims_.begin() + static_cast<std::ptrdiff_t>(i));
    if (still_fits()) continue;
    victims_.insert(victims_.begin() + static_cast<std::ptrdiff_t>(i), candidate);
    discharge(candidate);
  }
}

}  // namespace tutti::quota
