// Running a world to its end.
//
//   at one instant:  due actions → outcomes of binds → changes → scheduler, until nothing moves
//   then:            on to the next planned action, or to the scheduler's next wake-up
//
// A run ends when nothing more can change: nothing is planned, and the scheduler is settled. A
// settled scheduler that would retry later would get the same answer, so its wake-ups are not
// waited for.
#pragma once

#include <functional>

#include "base/digest.h"
#include "base/std.h"
#include "base/time.h"
#include "sim/check/invariants.h"
#include "sim/plane/scheduler_driver.h"
#include "sim/world.h"

namespace tutti::sim {

struct RunOptions {
  // Watches the invariants, and asks the scheduler about itself whenever an instant came to rest.
  bool check = false;
  // More rounds than this at one instant are a livelock.
  std::size_t rounds_per_instant_max = 10'000;
  // Asked between rounds whether the run is to end where it is; empty: nobody can want that.
  std::function<bool()> stop{};
};

struct RunResult {
  enum class Ending : std::uint8_t {
    quiet,             // nothing more can change
    until,             // the time given was reached
    livelock,          // an instant did not come to rest: our mistake
    stuck,             // the scheduler has work left but names no time for it: our mistake
    broken_invariant,  // our mistake
    halted,            // more is asked for than a world holds
  };
  Ending ending = Ending::quiet;
  Instant ended_at;
  std::string problem;       // of the last four endings, for people
  std::uint64_t digest = 0;  // of every change so far; equal runs have equal digests

  bool ok() const { return ending == Ending::quiet || ending == Ending::until; }
};

// One run, in as many stretches as wanted: what is checked and the digest span all of them.
class Runner {
 public:
  // `world` and `scheduler` must outlive it.
  Runner(World& world, SchedulerDriver& scheduler, const RunOptions& options = {})
      : world_(world), scheduler_(scheduler), options_(options) {}

  // Goes on to this time since the start; absent: to the end. After a mistake of ours there is no
  // going on: the same ending is returned again.
  RunResult run_until(std::optional<Millis> until) { return run_until(until, {}); }
  // Runs as above, but ends earlier, as `until`, at the first instant at rest with `enough`.
  RunResult run_until(std::optional<Millis> until, const std::function<bool()>& enough);
  // What was seen of preemption so far; only runs that check look.
  const PreemptionWatch::Tally& preemptions() const { return invariants_.preemptions(); }

 private:
  enum class Rest : std::uint8_t { reached, stopped, never, broken, halted };

  Instant now() const { return world_.clock().now(); }
  Rest come_to_rest();
  bool round();
  void deliver(const store::WatchEvent& change);
  void add_to_digest(const store::WatchEvent& change);
  void check_at_rest();
  std::optional<Instant> next_instant() const;
  RunResult end(RunResult::Ending ending, std::string problem = {}) const;
  RunResult end_without_rest(Rest rest) const;
  RunResult end_without_next() const;

  World& world_;
  SchedulerDriver& scheduler_;
  RunOptions options_;
  Invariants invariants_;
  Digest digest_;
};

}  // namespace tutti::sim
