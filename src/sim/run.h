// Running a world to its end.
//
//   at one instant:  due actions → outcomes of binds → changes → scheduler, until nothing moves
//   then:            on to the next planned action, or to the scheduler's next wake-up
//
// A run ends when nothing more can change: nothing is planned, and the scheduler is settled. A
// settled scheduler that would retry later would get the same answer, so its wake-ups are not
// waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "sim/scheduler_driver.h"
#include "sim/world.h"

namespace tutti::sim {

struct RunOptions {
  std::optional<Millis> until;  // since the start; absent: to the end
  bool check_invariants = false;
  // More rounds than this at one instant are a livelock.
  std::size_t rounds_per_instant_max = 10'000;
};

struct RunResult {
  enum class Ending : std::uint8_t {
    quiet,             // nothing more can change
    until,             // the time given was reached
    livelock,          // an instant did not come to rest: our mistake
    stuck,             // the scheduler has work left but names no time for it: our mistake
    broken_invariant,  // our mistake
  };
  Ending ending = Ending::quiet;
  Instant ended_at;
  std::string problem;       // of the last three endings, for people
  std::uint64_t digest = 0;  // of every change in order; equal runs have equal digests

  bool ok() const { return ending == Ending::quiet || ending == Ending::until; }
};

RunResult run(World& world, SchedulerDriver& scheduler, const RunOptions& options = {});

}  // namespace tutti::sim
