// Loop: one thread's timers, sockets and posted work. Everything of a daemon runs on one loop, so
// nothing in it is locked; a task must not block.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"

namespace boost::asio {
class io_context;
}

namespace tutti::net {

using Task = std::function<void()>;

// Cancels its task when destroyed or assigned to. An empty one does nothing. May outlive the loop.
class Timer {
 public:
  Timer() = default;
  Timer(Timer&&) noexcept;
  Timer& operator=(Timer&&) noexcept;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  void cancel();
  // Its task has neither run nor been cancelled.
  bool pending() const;

 private:
  friend class Loop;
  struct State;
  std::shared_ptr<State> state_;
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // The wall clock. Timers do not follow its jumps.
  Instant now() const;
  // Runs `task` on the loop, after what is already due. The only call that other threads may make.
  void post(Task task);
  [[nodiscard]] Timer after(Millis delay, Task task);
  // Calls `task` for every SIGTERM and SIGINT instead of dying of it.
  void on_stop_signal(Task task);

  // Until stop() is called or nothing is left to wait for.
  void run();
  void stop();

  boost::asio::io_context& context();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::net
