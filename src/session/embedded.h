// The core's scheduler, driven in virtual time.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/scheduler/scheduler.h"
#include "sim/plane/scheduler_driver.h"

namespace tutti::session {

class EmbeddedScheduler final : public sim::SchedulerDriver {
 public:
  // `scheduler` must outlive it. `stepped`, if any, is called after every change taken in and every
  // attempt, and must leave the scheduler alone.
  explicit EmbeddedScheduler(core::Scheduler& scheduler, std::function<void()> stepped = {})
      : scheduler_(scheduler), stepped_(std::move(stepped)) {}

  // Is told of every change before the scheduler is.
  void listen(std::function<void(const store::WatchEvent&)> listener) {
    listener_ = std::move(listener);
  }

  void observe(const store::WatchEvent& event, Instant now) override;
  void bind_finished(const core::PodReference& pod, const Status& outcome, Instant now) override;
  bool schedule(Instant now) override;
  std::optional<Instant> next_wakeup() const override { return scheduler_.next_wakeup(); }
  bool settled() const override { return scheduler_.settled(); }
  bool knows(const model::Pod& pod) const override;
  std::string inconsistency() const override { return scheduler_.check_consistency(); }

 private:
  void step() const {
    if (stepped_) stepped_();
  }

  core::Scheduler& scheduler_;
  std::function<void()> stepped_;
  std::function<void(const store::WatchEvent&)> listener_;
};

}  // namespace tutti::session
