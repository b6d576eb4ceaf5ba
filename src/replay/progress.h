// Progress: how far a job is, and what the time that it held its pods went into. All of it in
// pod-milliseconds: one pod for one millisecond.
//
//   attempt:  restart cost | work … every | checkpoint | work … every | checkpoint | work … end
//   held    = work at the speed of the ideal place
//           + what a slower place made of it
//           + restarts and checkpoints                                    (overhead)
//   work    = what counts in the end + what was done since the last checkpoint of an attempt that
//             was interrupted                                             (lost)
//
// Whole numbers, but for the slowdown, which is in millionths.
#pragma once

#include "base/std.h"
#include "base/time.h"

namespace tutti::replay {

inline constexpr std::int64_t kNoSlowdown = 1'000'000;

struct CheckpointPlan {
  std::optional<Millis> every;  // of time in which work is done; counted anew in each attempt
  Millis cost{0};
  Millis restart{0};  // at the beginning of every attempt but the first
};

// What the held time went into; the parts sum to what was held.
struct HeldTime {
  std::int64_t held = 0;
  std::int64_t useful = 0;
  std::int64_t lost = 0;
  std::int64_t overhead = 0;
  std::int64_t slowdown() const { return held - useful - lost - overhead; }
};

class Progress {
 public:
  // Work in pod-milliseconds; absent: for ever.
  Progress(std::optional<std::int64_t> work, const CheckpointPlan& plan)
      : left_(work), plan_(plan) {}

  // With so many pods, at so many millionths of the ideal speed's time. Requires that nothing runs.
  void start(std::int32_t pods, std::int64_t slowdown);
  // From now on; of what runs.
  void change(std::int32_t pods, std::int64_t slowdown);
  // Lets time pass. Requires that the end is not passed.
  void advance(Millis span);
  // What has been done since the last checkpoint is to do again. Nothing runs after it.
  void interrupt();
  // Nothing of it counts: the job was killed.
  void forfeit();

  // How long until all is done, if nothing changes; nothing: never. Requires that it runs.
  std::optional<Millis> until_done() const;
  bool done() const { return left_ == 0; }
  const HeldTime& time() const { return time_; }

 private:
  __extension__ typedef __int128 Wide;

  void work(std::int64_t span);
  // Returns how much of `span` the phase took.
  std::int64_t pass_overhead(std::int64_t& phase, std::int64_t span);
  std::int64_t time_for(std::int64_t work) const;
  std::int64_t to_checkpoint() const;

  std::optional<std::int64_t> left_;
  CheckpointPlan plan_;
  std::int32_t pods_ = 0;
  std::int64_t slowdown_ = kNoSlowdown;
  bool first_ = true;            // attempt
  std::int64_t restarting_ = 0;  // milliseconds left of it
  std::int64_t checkpointing_ = 0;
  std::int64_t since_ = 0;     // milliseconds of work since the last checkpoint or the start
  std::int64_t unsaved_ = 0;   // work of this attempt that would be lost
  std::int64_t fraction_ = 0;  // of a pod-millisecond that is done: numerator over slowdown_
  HeldTime time_;
};

}  // namespace tutti::replay
