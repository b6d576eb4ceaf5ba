// VirtualClock: time that passes only when someone says so, and what is to happen in it.
//
// Actions run in order of time; those of one instant in the order in which they were asked for. So
// a run is the same on every machine.
#pragma once

#include <chrono>
#include <compare>
#include <functional>
#include <map>

#include "base/std.h"
#include "base/time.h"

namespace tutti::sim {

// Where a run starts that nothing else dates: 2026-01-01T00:00:00Z.
inline constexpr Instant kEpoch =
    std::chrono::sys_days{std::chrono::year{2026} / std::chrono::January / 1};

class VirtualClock {
 public:
  using Action = std::function<void()>;
  // Names one planned action; cheap to copy, valid for ever.
  struct Timer {
    Instant when;
    std::uint64_t sequence = 0;
    auto operator<=>(const Timer&) const = default;
  };

  explicit VirtualClock(Instant start = kEpoch) : start_(start), now_(start) {}
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  Instant start() const { return start_; }
  Instant now() const { return now_; }
  // Plans an action; one for the past runs at the present instant.
  Timer at(Instant when, Action action);
  // Does nothing when the action already ran or was cancelled.
  void cancel(const Timer& timer) { actions_.erase(timer); }

  // When the next action is due; empty: nothing is planned before the end of time.
  std::optional<Instant> next() const;
  // Runs the first action that is due now. False when none is.
  bool run_one();
  // Requires that time does not go back and that no planned action is skipped.
  void advance_to(Instant when);

 private:
  Instant start_;
  Instant now_;
  std::uint64_t sequence_ = 0;
  std::map<Timer, Action> actions_;
};

}  // namespace tutti::sim
