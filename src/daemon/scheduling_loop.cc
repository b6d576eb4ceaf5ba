#include "daemon/scheduling_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tutti::daemon {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough to decide hundreds of pods, short enough for a server that waits for its socket to be
// drained. One attempt may take longer; it is not interrupted.
constexpr auto kSlice = std::chrono::milliseconds(5);

}  // namespace

SchedulingLoop::SchedulingLoop(net::Loop& loop, core::Scheduler& scheduler, Handlers handlers)
    : loop_(loop), scheduler_(scheduler), handlers_(std::move(handlers)) {}

void SchedulingLoop::start() {
  running_ = true;
  wake();
}

void SchedulingLoop::stop() {
  running_ = false;
  alarm_.cancel();
}

void SchedulingLoop::wake() {
  if (!running_ || posted_) return;
  posted_ = true;
  loop_.post([this] {
    posted_ = false;
    run_slice();
  });
}

void SchedulingLoop::run_slice() {
  if (!running_ || handlers_.congested()) return;  // the writer wakes us when there is room again
  const Clock::time_point begin = Clock::now();
  bool worked = true;
  while (worked && Clock::now() - begin < kSlice && !handlers_.congested()) {
    handlers_.about_to_decide();
    worked = scheduler_.schedule_one(handlers_.now());
  }
  handlers_.worked(Clock::now() - begin);
  worked ? wake() : sleep();
}

void SchedulingLoop::sleep() {
  const auto next = scheduler_.next_wakeup();
  if (!next) return alarm_.cancel();
  const Millis wait = *next - handlers_.now();
  alarm_ = loop_.after(std::clamp(wait, Millis{1}, Millis{60'000}), [this] { wake(); });
}

}  // namespace tutti::daemon
