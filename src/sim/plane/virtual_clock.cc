#include "sim/plane/virtual_clock.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::sim {

VirtualClock::Timer VirtualClock::at(Instant when, Action action) {
  const Timer timer{std::max(when, now_), ++sequence_};
  actions_.emplace(timer, std::move(action));
  return timer;
}

std::optional<Instant> VirtualClock::next() const {
  if (actions_.empty() || actions_.begin()->first.when >= kEndOfTime) return std::nullopt;
  return actions_.begin()->first.when;
}

bool VirtualClock::run_one() {
  if (actions_.empty() || actions_.begin()->first.when > now_) return false;
  // Taken out first: the action may plan and cancel others.
  const auto due = actions_.extract(actions_.begin());
  due.mapped()();
  return true;
}

void VirtualClock::advance_to(Instant when) {
  TUTTI_CHECK(when >= now_ && (actions_.empty() || when <= actions_.begin()->first.when));
  now_ = when;
}

}  // namespace tutti::sim
