// DecisionMeter: counts and times what the scheduler decides, and tells the log what an operator
// would want to know.
#pragma once

#include <chrono>

#include "base/std.h"
#include "core/framework/decision.h"
#include "daemon/queue_metrics.h"
#include "telemetry/log.h"
#include "telemetry/metrics.h"

namespace tutti::daemon {

class DecisionMeter final : public core::DecisionListener {
 public:
  DecisionMeter(telemetry::SchedulerMetrics& metrics, QueueMetrics& queues, telemetry::Log& log)
      : metrics_(metrics), queues_(queues), log_(log) {}
  // Whom decisions about requests are about; must outlive it.
  void know(const core::RequestTable& requests) { requests_ = &requests; }

  // The scheduler is about to try something: the clock of the next decision starts.
  void begin() { begin_ = Clock::now(); }
  void decided(const core::Decision& decision) override;

 private:
  using Clock = std::chrono::steady_clock;

  void count(const core::Decision& decision, telemetry::Seconds took);

  telemetry::SchedulerMetrics& metrics_;
  QueueMetrics& queues_;
  telemetry::Log& log_;
  const core::RequestTable* requests_ = nullptr;
  Clock::time_point begin_;
};

}  // namespace tutti::daemon
