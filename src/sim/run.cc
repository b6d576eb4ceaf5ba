#include "sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "model/pod.h"
#include "sim/invariants.h"

namespace tutti::sim {
namespace {

class Run {
 public:
  Run(World& world, SchedulerDriver& scheduler, const RunOptions& options)
      : world_(world), scheduler_(scheduler), options_(options) {}

  RunResult to_the_end() {
    for (;;) {
      if (!come_to_rest()) return end(RunResult::Ending::livelock, livelock_message());
      if (!invariants_.broken().empty()) {
        return end(RunResult::Ending::broken_invariant, invariants_.broken());
      }
      const auto next = next_instant();
      if (!next) return end_without_next();
      if (options_.until && *next > kEpoch + *options_.until) {
        world_.clock().advance_to(std::max(now(), kEpoch + *options_.until));
        return end(RunResult::Ending::until, {});
      }
      world_.clock().advance_to(*next);
    }
  }

 private:
  Instant now() const { return world_.clock().now(); }

  // Repeats rounds until one in which nothing happened. False when there is no end to it.
  bool come_to_rest() {
    for (std::size_t rounds = 0; rounds < options_.rounds_per_instant_max; ++rounds) {
      if (!round()) {
        if (options_.check_invariants && scheduler_.settled()) {
          invariants_.check_settled(scheduler_);
        }
        return true;
      }
    }
    return false;
  }

  bool round() {
    bool moved = world_.act();
    for (const auto& [pod, outcome] : world_.take_completions()) {
      scheduler_.bind_finished(pod, outcome, now());
      moved = true;
    }
    for (const auto& change : world_.take_changes()) {
      deliver(change);
      moved = true;
    }
    // A settled scheduler whose backoffs have run out would only repeat itself. Asking it here
    // would make the times at which a run is interrupted part of the outcome.
    if (!scheduler_.settled()) moved |= scheduler_.schedule(now());
    return moved;
  }

  void deliver(const store::WatchEvent& change) {
    add_to_digest(change);
    if (options_.check_invariants) invariants_.observe(change);
    scheduler_.observe(change, now());
  }

  void add_to_digest(const store::WatchEvent& change) {
    const auto& object = change.object();
    digest_.add(change.version);
    digest_.add(static_cast<std::uint64_t>(change.type));
    digest_.add(static_cast<std::uint64_t>(object.kind));
    digest_.add(object.meta.ns);
    digest_.add(object.meta.name);
    digest_.add(static_cast<std::uint64_t>((now() - kEpoch).count()));
    if (const auto* pod = model::try_as<model::Pod>(object)) digest_.add(pod->node_name);
  }

  std::optional<Instant> next_instant() const {
    auto next = world_.clock().next();
    if (scheduler_.settled()) return next;
    const auto wakeup = scheduler_.next_wakeup();
    if (wakeup && (!next || *wakeup < *next)) next = std::max(*wakeup, now());
    return next;
  }

  RunResult end_without_next() {
    if (scheduler_.settled()) return end(RunResult::Ending::quiet, {});
    return end(RunResult::Ending::stuck,
               "internal error: the scheduler has work left but names no time for it");
  }

  std::string livelock_message() const {
    return fmt::format("internal error: {} did not come to rest within {} rounds",
                       format_rfc3339(now()), options_.rounds_per_instant_max);
  }

  RunResult end(RunResult::Ending ending, std::string problem) const {
    return {ending, now(), std::move(problem), digest_.value()};
  }

  World& world_;
  SchedulerDriver& scheduler_;
  const RunOptions& options_;
  Invariants invariants_;
  Digest digest_;
};

}  // namespace

RunResult run(World& world, SchedulerDriver& scheduler, const RunOptions& options) {
  return Run(world, scheduler, options).to_the_end();
}

}  // namespace tutti::sim
