// The loop is an Asio io_context; a Timer is a steady_timer with its task.
//
// The wait's handler knows its timer only weakly, so that destroying a Timer is all it takes to
// cancel it. The loop knows its timers, too: one that outlives the loop lets go of Asio when the
// loop ends.
#include "net/loop.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <csignal>
#include <optional>
#include <utility>

namespace tutti::net {

namespace asio = boost::asio;
namespace intrusive = boost::intrusive;

struct Timer::State : intrusive::list_base_hook<intrusive::link_mode<intrusive::auto_unlink>> {
  State(asio::io_context& context, Task what)
      : wait(std::in_place, context), task(std::move(what)) {}

  void drop() {
    wait.reset();
    task = nullptr;
  }

  std::optional<asio::steady_timer> wait;  // empty: ran, cancelled, or the loop is gone
  Task task;
};

Timer::Timer(Timer&&) noexcept = default;
Timer& Timer::operator=(Timer&&) noexcept = default;
Timer::~Timer() = default;

void Timer::cancel() { state_.reset(); }
bool Timer::pending() const { return state_ && state_->wait.has_value(); }

struct Loop::Impl {
  using Timers = intrusive::list<Timer::State, intrusive::constant_time_size<false>>;

  Impl() : context(1), signals(context) {}

  void await_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      await_signal();
      const Task task = on_signal;  // which may install another
      task();
    });
  }

  asio::io_context context;
  asio::signal_set signals;
  Task on_signal;
  Timers timers;
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
  while (!impl_->timers.empty()) {
    Timer::State& state = impl_->timers.front();
    impl_->timers.pop_front();
    state.drop();
  }
}

Instant Loop::now() const {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

void Loop::post(Task task) { asio::post(impl_->context, std::move(task)); }

Timer Loop::after(Millis delay, Task task) {
  Timer timer;
  timer.state_ = std::make_shared<Timer::State>(impl_->context, std::move(task));
  impl_->timers.push_back(*timer.state_);
  timer.state_->wait->expires_after(delay);
  timer.state_->wait->async_wait(
      [weak = std::weak_ptr(timer.state_)](const boost::system::error_code& error) {
        const auto state = weak.lock();
        if (error || !state) return;
        const Task due = std::exchange(state->task, nullptr);
        state->drop();
        due();
      });
  return timer;
}

void Loop::on_stop_signal(Task task) {
  const bool waiting = static_cast<bool>(impl_->on_signal);
  impl_->on_signal = std::move(task);
  if (waiting) return;
  impl_->signals.add(SIGTERM);
  impl_->signals.add(SIGINT);
  impl_->await_signal();
}

// A context that stopped must be restarted before it runs again. Doing so afterwards instead of
// before keeps a stop() that came early.
void Loop::run() {
  impl_->context.run();
  impl_->context.restart();
}

void Loop::stop() { impl_->context.stop(); }

asio::io_context& Loop::context() { return impl_->context; }

}  // namespace tutti::net
