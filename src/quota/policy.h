// What a ClusterQueue says about flavors and about evicting others, as plain values.
#pragma once

#include "base/std.h"

namespace tutti::quota {

struct Fungibility {
  enum class When : std::uint8_t { may_stop_search, try_next_flavor };
  enum class Preference : std::uint8_t { borrowing_over_preemption, preemption_over_borrowing };
  When can_borrow = When::may_stop_search;
  When can_preempt = When::try_next_flavor;
  Preference preference = Preference::borrowing_over_preemption;
};

struct PreemptionPolicy {
  enum class WithinQueue : std::uint8_t { never, lower_priority, lower_or_newer_equal_priority };
  enum class Reclaim : std::uint8_t { never, lower_priority, any };
  WithinQueue within_queue = WithinQueue::never;
  Reclaim reclaim = Reclaim::never;
  // borrowWithinCohort: whether lower priority may be evicted for quota that will be borrowed, and
  // up to which priority. Fair sharing ignores it.
  bool borrow_within_cohort = false;
  std::optional<std::int64_t> threshold{};

  // Whether evicting others may make sense for a request that would borrow.
  bool allows_borrower(bool fair_sharing) const {
    return borrow_within_cohort || (fair_sharing && reclaim != Reclaim::never);
  }
};

}  // namespace tutti::quota
