// The core's scheduler, driven in virtual time.
#pragma once

#include <optional>
#include <string>

#include "core/scheduler.h"
#include "sim/scheduler_driver.h"

namespace tutti::cli {

class EmbeddedScheduler final : public sim::SchedulerDriver {
 public:
  // `scheduler` must outlive it.
  explicit EmbeddedScheduler(core::Scheduler& scheduler) : scheduler_(scheduler) {}

  void observe(const store::WatchEvent& event, Instant now) override;
  void bind_finished(const core::PodReference& pod, const Status& outcome, Instant now) override;
  bool schedule(Instant now) override;
  std::optional<Instant> next_wakeup() const override { return scheduler_.next_wakeup(); }
  bool settled() const override { return scheduler_.settled(); }
  bool knows(const model::Pod& pod) const override;
  std::string inconsistency() const override { return scheduler_.check_consistency(); }

 private:
  core::Scheduler& scheduler_;
};

}  // namespace tutti::cli
