// DecisionMeter: counts and times what the scheduler decides, and tells the log what an operator
// would want to know.
#pragma once

#include <chrono>

#include "base/std.h"
#include "core/framework/decision.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace tutti::daemon {

class DecisionMeter final : public core::DecisionListener {
 public:
  DecisionMeter(telemetry::SchedulerMetrics& metrics, telemetry::Log& log)
      : metrics_(metrics), log_(log) {}

  // The scheduler is about to try something: the clock of the next decision starts.
  void begin() { begin_ = Clock::now(); }
  void decided(const core::Decision& decision) override;

 private:
  using Clock = std::chrono::steady_clock;

  void count(const core::Decision& decision, telemetry::Seconds took);

  telemetry::SchedulerMetrics& metrics_;
  telemetry::Log& log_;
  Clock::time_point begin_;
};

}  // namespace tutti::daemon
