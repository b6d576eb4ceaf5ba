// SchedulingLoop: gives the scheduler its turns on the loop, in slices short enough that sockets
// and timers are looked at in between, and pauses it while its writes pile up.
#pragma once

#include <functional>

#include "core/scheduler/scheduler.h"
#include "net/loop.h"

namespace tutti::daemon {

class SchedulingLoop {
 public:
  struct Handlers {
    std::function<Instant()> now;
    std::function<void()> about_to_decide;
    // What was decided and is not written yet, and what is too much of it.
    std::function<bool()> congested;
    std::function<void(std::chrono::duration<double>)> worked;  // after every slice
  };
  SchedulingLoop(net::Loop& loop, core::Scheduler& scheduler, Handlers handlers);

  // Nothing is decided before start() and after stop().
  void start();
  void stop();
  // Something was observed, written or answered: there may be work.
  void wake();
  // Whether the loop has a turn coming: there may be more to decide.
  bool busy() const { return posted_; }

 private:
  void run_slice();
  void sleep();

  net::Loop& loop_;
  core::Scheduler& scheduler_;
  Handlers handlers_;
  bool running_ = false;
  bool posted_ = false;
  net::Timer alarm_;
};

}  // namespace tutti::daemon
