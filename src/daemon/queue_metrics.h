// QueueMetrics: what monitoring may know of queues, under Kueue's names, so that its dashboards go
// on working where its manager is not at work; and of ours everywhere. Gauges are worked out when
// they are asked for, counters and histograms follow decisions.
//
//   kueue_admission_attempts_total{result}, kueue_admission_attempt_duration_seconds{result}
//   kueue_{quota_reserved,admitted}_workloads_total, …_wait_time_seconds {cluster_queue}
//   kueue_evicted_workloads_total{cluster_queue,reason,underlying_cause}
//   kueue_preempted_workloads_total{preempting_cluster_queue,reason}
//   kueue_{pending,reserving_active,admitted_active}_workloads, kueue_cluster_queue_*,
//   kueue_cohort_*
//   tutti_quota_unplaceable_requests, tutti_quota_releasing {cluster_queue}
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>

#include "base/std.h"
#include "core/framework/decision.h"
#include "core/requests/request_table.h"

namespace tutti::daemon {

class QueueMetrics {
 public:
  using Seconds = std::chrono::duration<double>;

  // Counts a decision about a request, which `table` knows.
  void decided(const core::Decision& decision, const core::RequestTable& table, Seconds took);
  // Everything, for a scraper; empty where there are no queues. `lacks_place`: whether a request
  // was admitted and one of its pods has no place.
  std::string text(const core::RequestTable& table,
                   const std::function<bool(const core::Request&)>& lacks_place) const;

 private:
  struct Histogram {
    static constexpr std::array<double, 14> kBounds = {0.001, 0.01, 0.1,  0.5,  1,    5,     10,
                                                       60,    300,  1800, 3600, 7200, 14400, 86400};
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
    void add(double value);
  };
  using Counters = std::map<std::string, std::uint64_t>;  // by labels
  using Histograms = std::map<std::string, Histogram>;

  static void write(std::string& out, std::string_view name, std::string_view help,
                    const Counters& counters);
  static void write(std::string& out, std::string_view name, std::string_view help,
                    const Histograms& histograms);

  Counters attempts_, reserved_, admitted_, evicted_, preempted_;
  Histograms attempt_times_, reserved_waits_, admitted_waits_;
};

}  // namespace tutti::daemon
