#include "session/embedded.h"

namespace tutti::session {
namespace {

core::Observation::Type type_of(store::WatchEvent::Type type) {
  switch (type) {
    case store::WatchEvent::Type::added:
      return core::Observation::Type::added;
    case store::WatchEvent::Type::modified:
      return core::Observation::Type::modified;
    case store::WatchEvent::Type::deleted:
      break;
  }
  return core::Observation::Type::deleted;
}

}  // namespace

void EmbeddedScheduler::observe(const store::WatchEvent& event, Instant now) {
  if (listener_) listener_(event);
  scheduler_.observe({type_of(event.type), event.after ? event.after : event.before, event.quiet},
                     now);
  step();
}

void EmbeddedScheduler::bind_finished(const core::PodReference& pod, const Status& outcome,
                                      Instant now) {
  scheduler_.bind_finished(pod, outcome, now);
}

// In portions: what was decided reaches the world and comes back before the next, so that a large
// input does not pile up decisions in flight.
bool EmbeddedScheduler::schedule(Instant now) {
  constexpr int kPortion = 1000;
  int steps = 0;
  while (steps < kPortion && scheduler_.schedule_one(now)) {
    ++steps;
    step();
  }
  return steps > 0;
}

bool EmbeddedScheduler::knows(const model::Pod& pod) const {
  if (scheduler_.profile_for(pod) == nullptr) return true;  // and leaves it to another
  const std::optional<core::PodId> id = scheduler_.cluster().pods().find(pod.meta.uid);
  return id && scheduler_.standing(*id) != core::Standing::unknown;
}

}  // namespace tutti::session
