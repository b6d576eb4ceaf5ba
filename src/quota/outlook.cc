#include "quota/outlook.h"

#include <algorithm>

#include "quota/candidates.h"

namespace tutti::quota {

Grade QuotaOutlook::outlook(FlavorResourceId of, Amount amount) {
  preemptor_.charges = {{.of = of, .amount = to_int64(amount)}};
  preemptor_.needed = {of};
  const auto victims = sharing_ == Sharing::fair
                           ? fair_victims(tree_, preemptor_, policy_, running_, strategies_)
                           : classical_victims(tree_, preemptor_, policy_, running_);
  Rehearsal rehearsal(tree_, running_);
  for (const Victim& victim : victims) rehearsal.take(victim);
  const Reach reach = tree_.reach(preemptor_.queue, of, amount);
  if (victims.empty()) return {Mode::no_candidates, reach.borrow_level};
  const bool own = std::any_of(victims.begin(), victims.end(), [](const Victim& victim) {
    return victim.reason == Reason::in_cluster_queue;
  });
  return {own ? Mode::preempt : Mode::reclaim, reach.borrow_level};
}

}  // namespace tutti::quota
