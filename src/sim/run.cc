#include "sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/pod.h"

namespace tutti::sim {

RunResult Runner::run_until(std::optional<Millis> until, const std::function<bool()>& enough) {
  const Instant start = world_.clock().start();
  for (;;) {
    const Rest rest = come_to_rest();
    if (rest == Rest::stopped) return end(RunResult::Ending::until);
    if (rest != Rest::reached) return end_without_rest(rest);
    if (enough && enough()) return end(RunResult::Ending::until);
    const auto next = next_instant();
    if (!next) return end_without_next();
    if (until && *next > start + *until) {
      world_.clock().advance_to(std::max(now(), start + *until));
      return end(RunResult::Ending::until);
    }
    world_.clock().advance_to(*next);
  }
}

// Repeats rounds until one in which nothing happened.
Runner::Rest Runner::come_to_rest() {
  for (std::size_t rounds = 0; rounds < options_.rounds_per_instant_max; ++rounds) {
    const bool moved = round();
    if (!moved && options_.check) check_at_rest();
    if (options_.stop && options_.stop()) return Rest::stopped;
    if (!world_.halted().empty()) return Rest::halted;
    if (!invariants_.broken().empty()) return Rest::broken;
    if (!moved) return Rest::reached;
  }
  return Rest::never;
}

bool Runner::round() {
  bool moved = world_.act();
  for (const auto& [pod, outcome] : world_.take_completions()) {
    scheduler_.bind_finished(pod, outcome, now());
    moved = true;
  }
  for (const auto& change : world_.take_changes()) {
    deliver(change);
    moved = true;
  }
  // A settled scheduler whose backoffs have run out would only repeat itself. Asking it here would
  // make the times at which a run is interrupted part of the outcome.
  if (!scheduler_.settled()) moved |= scheduler_.schedule(now());
  return moved;
}

void Runner::deliver(const store::WatchEvent& change) {
  add_to_digest(change);
  if (options_.check) invariants_.observe(change);
  scheduler_.observe(change, now());
}

void Runner::add_to_digest(const store::WatchEvent& change) {
  const auto& object = change.object();
  digest_.add(change.version);
  digest_.add(static_cast<std::uint64_t>(change.type));
  digest_.add(static_cast<std::uint64_t>(object.kind));
  digest_.add(object.meta.ns);
  digest_.add(object.meta.name);
  digest_.add(static_cast<std::uint64_t>((now() - world_.clock().start()).count()));
  if (const auto* pod = model::try_as<model::Pod>(object)) digest_.add(pod->node_name);
}

void Runner::check_at_rest() {
  invariants_.check_consistent(scheduler_);
  if (scheduler_.settled()) invariants_.check_settled(scheduler_);
}

std::optional<Instant> Runner::next_instant() const {
  auto next = world_.clock().next();
  if (scheduler_.settled()) return next;
  const auto wakeup = scheduler_.next_wakeup();
  if (wakeup && (!next || *wakeup < *next)) next = std::max(*wakeup, now());
  return next;
}

RunResult Runner::end(RunResult::Ending ending, std::string problem) const {
  return {ending, now(), std::move(problem), digest_.value()};
}

RunResult Runner::end_without_rest(Rest rest) const {
  if (rest == Rest::halted) return end(RunResult::Ending::halted, world_.halted());
  if (rest == Rest::broken) {
    return end(RunResult::Ending::broken_invariant,
               fmt::format("internal error: an invariant broke at {}: {}", format_rfc3339(now()),
                           invariants_.broken()));
  }
  return end(RunResult::Ending::livelock,
             fmt::format("internal error: {} did not come to rest within {} rounds",
                         format_rfc3339(now()), options_.rounds_per_instant_max));
}

RunResult Runner::end_without_next() const {
  if (scheduler_.settled()) return end(RunResult::Ending::quiet);
  return end(RunResult::Ending::stuck,
             "internal error: the scheduler has work left but names no time for it");
}

}  // namespace tutti::sim
