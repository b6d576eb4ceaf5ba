// SchedulerMetrics: what monitoring may know of a running scheduler, in Prometheus' text form.
//
// Names, labels and buckets are kube-scheduler's where the meaning is the same; ours begin with
// tutti_. Every series comes from one of the calls below:
//
//   pod_attempted       scheduler_schedule_attempts_total{result,profile}
//                       scheduler_scheduling_attempt_duration_seconds{result,profile}
//   pod_algorithm_ran   scheduler_scheduling_algorithm_duration_seconds
//   group_attempted     scheduler_podgroup_schedule_attempts_total{result,profile}
//                       scheduler_podgroup_scheduling_attempt_duration_seconds{result,profile}
//   group_algorithm_ran scheduler_podgroup_scheduling_algorithm_duration_seconds
//   set_pending         scheduler_pending_pods{queue}
//   set_cache_size      scheduler_cache_size{type}
//   set_leading         leader_election_master_status{name}
//   request_finished    rest_client_requests_total{code,method,host}
//                       rest_client_request_duration_seconds{verb,host}
//   set_bindings_in_flight  tutti_bindings_in_flight
//   binding_finished    tutti_bindings_total{result}, tutti_binding_duration_seconds
//   gang_taken_back     tutti_gangs_taken_back_total
//   watch_restarted     tutti_watch_restarts_total{resource}
//   event_dropped       tutti_events_dropped_total
//   loop_ran            tutti_loop_busy_seconds_total, tutti_loop_turn_duration_seconds
//   text                process_*, tutti_build_info{version}
#pragma once

#include <chrono>

#include "base/std.h"
#include "telemetry/process_figures.h"

namespace tutti::telemetry {

using Seconds = std::chrono::duration<double>;

enum class PodResult : std::uint8_t { scheduled, unschedulable, error };
enum class GroupResult : std::uint8_t { scheduled, unschedulable, waiting_on_preemption, error };
enum class BindingResult : std::uint8_t { bound, conflict, failed };

struct PendingPods {
  std::size_t active = 0;
  std::size_t backoff = 0;
  std::size_t unschedulable = 0;
  std::size_t gated = 0;
  std::size_t incomplete = 0;  // their group does not exist
};

struct CacheSize {
  std::size_t nodes = 0;
  std::size_t pods = 0;          // on nodes, assumed ones included
  std::size_t assumed_pods = 0;  // decided, not yet confirmed by the cluster
};

// The content type of text().
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

class SchedulerMetrics {
 public:
  struct Options {
    std::string version;   // of this program
    std::string lease;     // name of the Lease; empty: no leader election
    std::string api_host;  // "10.0.0.1:6443"
  };
  // A scheduler name as a label, made once so that counting need not look it up.
  struct Profile {
    std::size_t index = 0;
  };

  explicit SchedulerMetrics(const Options& options);
  ~SchedulerMetrics();
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  // Makes the series of this scheduler name, all at zero, or finds them.
  Profile profile(std::string_view scheduler_name);

  // An attempt at a lone pod or a member of a group has ended. `took` counts from the beginning of
  // the attempt; for a scheduled pod until its binding was confirmed.
  void pod_attempted(Profile profile, PodResult result, Seconds took);
  void pod_algorithm_ran(Seconds took);

  void group_attempted(Profile profile, GroupResult result, Seconds took);
  void group_algorithm_ran(Seconds took);

  void set_pending(const PendingPods& pods);
  void set_cache_size(const CacheSize& size);

  // Requires that the options name a lease.
  void set_leading(bool leading);
  // A request to the API server has ended, or for a watch, its status has come. Status 0: no answer
  // came.
  void request_finished(std::string_view method, int status, Seconds took);

  void set_bindings_in_flight(std::size_t count);
  void binding_finished(BindingResult result, Seconds took);
  // A gang that could not be completed gave its nodes back.
  void gang_taken_back();
  // The watch of this resource ("pods") was cut off or forgotten and begins again.
  void watch_restarted(std::string_view resource);
  // An Event for users was not written: too many waited.
  void event_dropped();
  // The loop did a piece of work without looking at sockets or timers in between.
  void loop_ran(Seconds busy);

  // Everything, for a scraper. `process`: as read now, or nothing if that failed.
  std::string text(const std::optional<ProcessFigures>& process) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tutti::telemetry
