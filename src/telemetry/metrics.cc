#include "telemetry/metrics.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "base/check.h"

namespace tutti::telemetry {

namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

constexpr std::array<const char*, 3> kPodResults = {"scheduled", "unschedulable", "error"};
constexpr std::array<const char*, 4> kGroupResults = {"scheduled", "unschedulable",
                                                      "waiting_on_preemption", "error"};
constexpr std::array<const char*, 3> kBindingResults = {"bound", "conflict", "failed"};

Buckets doubling(double first, std::size_t count) {
  Buckets bounds;
  for (double bound = first; bounds.size() < count; bound *= 2) bounds.push_back(bound);
  return bounds;
}
Buckets attempt_buckets() { return doubling(0.001, 15); }
Buckets request_buckets() { return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}; }

// What the code label says of a request that brought no answer, in client-go's spelling.
std::string code_label(int status) { return status == 0 ? "<error>" : std::to_string(status); }

template <typename Enum>
std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

class Families {
 public:
  explicit Families(prometheus::Registry& registry) : registry_(registry) {}

  auto& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  auto& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  }
  auto& histogram(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  }

 private:
  prometheus::Registry& registry_;
};

// The counter and the durations of attempts, by result, of one profile.
template <std::size_t N>
class Attempts {
 public:
  Attempts(prometheus::Family<Counter>& counters, prometheus::Family<Histogram>& durations,
           const std::array<const char*, N>& results, const std::string& profile) {
    for (std::size_t i = 0; i < N; ++i) {
      const prometheus::Labels labels = {{"result", results[i]}, {"profile", profile}};
      counters_[i] = &counters.Add(labels);
      durations_[i] = &durations.Add(labels, attempt_buckets());
    }
  }

  void add(std::size_t result, Seconds took) {
    counters_[result]->Increment();
    durations_[result]->Observe(took.count());
  }

 private:
  std::array<Counter*, N> counters_{};
  std::array<Histogram*, N> durations_{};
};

struct ProfileSeries {
  std::string name;
  Attempts<kPodResults.size()> pods;
  Attempts<kGroupResults.size()> groups;
};

struct MethodSeries {
  Histogram* durations = nullptr;
  std::map<int, Counter*> by_status;
};

prometheus::MetricFamily single(prometheus::MetricType type, const char* name, const char* help,
                                double value) {
  prometheus::ClientMetric metric;
  metric.counter.value = value;  // the serializer looks at the one that fits the type
  metric.gauge.value = value;
  return {.name = name, .help = help, .type = type, .metric = {metric}};
}

void append_process(std::vector<prometheus::MetricFamily>& families,
                    const ProcessFigures& process) {
  constexpr auto kCounter = prometheus::MetricType::Counter;
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  families.push_back(single(kCounter, "process_cpu_seconds_total",
                            "User and system CPU time of the process, in seconds.",
                            process.cpu_seconds));
  families.push_back(single(kGauge, "process_resident_memory_bytes",
                            "Memory of the process that is in RAM, in bytes.",
                            static_cast<double>(process.resident_bytes)));
  families.push_back(single(kGauge, "process_virtual_memory_bytes",
                            "Address space of the process, in bytes.",
                            static_cast<double>(process.virtual_bytes)));
  families.push_back(single(kGauge, "process_start_time_seconds",
                            "When the process began, in seconds since the Unix epoch.",
                            process.start_time_seconds));
  families.push_back(single(kGauge, "process_open_fds", "File descriptors that are open.",
                            static_cast<double>(process.open_fds)));
  families.push_back(single(kGauge, "process_max_fds", "File descriptors that may be open.",
                            static_cast<double>(process.max_fds)));
}

}  // namespace

struct SchedulerMetrics::Impl {
  explicit Impl(const Options& options);

  MethodSeries& method(std::string_view name);
  Counter& requests(MethodSeries& series, std::string_view name, int status);

  prometheus::Registry registry;
  Families make{registry};
  std::string api_host;

  prometheus::Family<Counter>& pod_attempts;
  prometheus::Family<Histogram>& pod_attempt_durations;
  prometheus::Family<Counter>& group_attempts;
  prometheus::Family<Histogram>& group_attempt_durations;
  prometheus::Family<Counter>& request_counts;
  prometheus::Family<Histogram>& request_durations;
  prometheus::Family<Counter>& watch_restarts;

  Histogram& pod_algorithm;
  Histogram& group_algorithm;
  Histogram& binding_durations;
  Histogram& loop_turns;
  Gauge& bindings_in_flight;
  Counter& gangs_taken_back;
  Counter& events_dropped;
  Counter& loop_busy;

  struct PendingGauges {
    Gauge &active, &backoff, &unschedulable, &gated, &incomplete;
  };
  struct CacheGauges {
    Gauge &nodes, &pods, &assumed_pods;
  };
  PendingGauges& pending();
  CacheGauges& cache();

  // Made when first told: a gauge that nobody feeds would say zero.
  std::optional<PendingGauges> pending_gauges;
  std::optional<CacheGauges> cache_gauges;
  Gauge* leading = nullptr;  // absent without leader election
  std::array<Counter*, kBindingResults.size()> bindings{};
  std::map<std::string, MethodSeries, std::less<>> methods;
  std::vector<ProfileSeries> profiles;
};

SchedulerMetrics::Impl::Impl(const Options& options)
    : api_host(options.api_host),
      pod_attempts(make.counter("scheduler_schedule_attempts_total",
                                "Attempts to schedule pods, by result. 'unschedulable': no node "
                                "was found; 'error': the attempt itself failed.")),
      pod_attempt_durations(make.histogram("scheduler_scheduling_attempt_duration_seconds",
                                           "Duration of attempts to schedule pods, binding "
                                           "included, in seconds.")),
      group_attempts(make.counter("scheduler_podgroup_schedule_attempts_total",
                                  "Attempts to schedule pod groups, by result.")),
      group_attempt_durations(make.histogram("scheduler_podgroup_scheduling_attempt_duration_"
                                             "seconds",
                                             "Duration of attempts to schedule pod groups, in "
                                             "seconds.")),
      request_counts(make.counter("rest_client_requests_total",
                                  "Requests to the API server, by status code, method and host.")),
      request_durations(make.histogram("rest_client_request_duration_seconds",
                                       "Duration of requests to the API server, in seconds.")),
      watch_restarts(make.counter("tutti_watch_restarts_total",
                                  "Watches that were cut off and begun again, by resource.")),
      pod_algorithm(make.histogram("scheduler_scheduling_algorithm_duration_seconds",
                                   "Duration of the decision about a pod, in seconds.")
                        .Add({}, attempt_buckets())),
      group_algorithm(make.histogram("scheduler_podgroup_scheduling_algorithm_duration_seconds",
                                     "Duration of the decision about a pod group, in seconds.")
                          .Add({}, attempt_buckets())),
      binding_durations(make.histogram("tutti_binding_duration_seconds",
                                       "From sending a binding to its answer, in seconds.")
                            .Add({}, attempt_buckets())),
      loop_turns(make.histogram("tutti_loop_turn_duration_seconds",
                                "How long the loop worked without looking at sockets, in seconds.")
                     .Add({}, doubling(0.0001, 14))),
      bindings_in_flight(
          make.gauge("tutti_bindings_in_flight", "Bindings sent and not yet answered.").Add({})),
      gangs_taken_back(make.counter("tutti_gangs_taken_back_total",
                                    "Gangs that could not be completed and gave their nodes back.")
                           .Add({})),
      events_dropped(make.counter("tutti_events_dropped_total",
                                  "Events for users that were not written because too many waited.")
                         .Add({})),
      loop_busy(
          make.counter("tutti_loop_busy_seconds_total", "Time the loop has worked, in seconds.")
              .Add({})) {
  auto& by_result = make.counter("tutti_bindings_total", "Bindings that were answered, by result.");
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    bindings[i] = &by_result.Add({{"result", kBindingResults[i]}});
  }
  make.gauge("tutti_build_info", "Always 1; the labels say what is running.")
      .Add({{"version", options.version}})
      .Set(1);
  if (!options.lease.empty()) {
    leading = &make.gauge("leader_election_master_status",
                          "1 while this process leads by the named lease, 0 while it stands by.")
                   .Add({{"name", options.lease}});
  }
}

SchedulerMetrics::Impl::PendingGauges& SchedulerMetrics::Impl::pending() {
  if (pending_gauges) return *pending_gauges;
  auto& family = make.gauge("scheduler_pending_pods",
                            "Pods that wait, by queue. 'gated': never tried, something holds them; "
                            "'incomplete': their group does not exist.");
  return pending_gauges.emplace(
      PendingGauges{.active = family.Add({{"queue", "active"}}),
                    .backoff = family.Add({{"queue", "backoff"}}),
                    .unschedulable = family.Add({{"queue", "unschedulable"}}),
                    .gated = family.Add({{"queue", "gated"}}),
                    .incomplete = family.Add({{"queue", "incomplete"}})});
}

SchedulerMetrics::Impl::CacheGauges& SchedulerMetrics::Impl::cache() {
  if (cache_gauges) return *cache_gauges;
  auto& family = make.gauge("scheduler_cache_size",
                            "Nodes, pods on them, and pods assumed there, as the scheduler knows.");
  return cache_gauges.emplace(CacheGauges{.nodes = family.Add({{"type", "nodes"}}),
                                          .pods = family.Add({{"type", "pods"}}),
                                          .assumed_pods = family.Add({{"type", "assumed_pods"}})});
}

MethodSeries& SchedulerMetrics::Impl::method(std::string_view name) {
  const auto known = methods.find(name);
  if (known != methods.end()) return known->second;
  MethodSeries& series = methods[std::string(name)];
  series.durations =
      &request_durations.Add({{"verb", std::string(name)}, {"host", api_host}}, request_buckets());
  return series;
}

Counter& SchedulerMetrics::Impl::requests(MethodSeries& series, std::string_view name, int status) {
  Counter*& counter = series.by_status[status];
  if (counter == nullptr) {
    counter = &request_counts.Add(
        {{"code", code_label(status)}, {"method", std::string(name)}, {"host", api_host}});
  }
  return *counter;
}

SchedulerMetrics::SchedulerMetrics(const Options& options)
    : impl_(std::make_unique<Impl>(options)) {}

SchedulerMetrics::~SchedulerMetrics() = default;

SchedulerMetrics::Profile SchedulerMetrics::profile(std::string_view scheduler_name) {
  std::size_t index = 0;
  for (; index < impl_->profiles.size(); ++index) {
    if (impl_->profiles[index].name == scheduler_name) return {index};
  }
  std::string name(scheduler_name);
  impl_->profiles.push_back(
      {.name = name,
       .pods = {impl_->pod_attempts, impl_->pod_attempt_durations, kPodResults, name},
       .groups = {impl_->group_attempts, impl_->group_attempt_durations, kGroupResults, name}});
  return {index};
}

void SchedulerMetrics::pod_attempted(Profile profile, PodResult result, Seconds took) {
  impl_->profiles.at(profile.index).pods.add(index_of(result), took);
}

void SchedulerMetrics::pod_algorithm_ran(Seconds took) {
  impl_->pod_algorithm.Observe(took.count());
}

void SchedulerMetrics::group_attempted(Profile profile, GroupResult result, Seconds took) {
  impl_->profiles.at(profile.index).groups.add(index_of(result), took);
}

void SchedulerMetrics::group_algorithm_ran(Seconds took) {
  impl_->group_algorithm.Observe(took.count());
}

void SchedulerMetrics::set_pending(const PendingPods& pods) {
  auto& gauges = impl_->pending();
  gauges.active.Set(static_cast<double>(pods.active));
  gauges.backoff.Set(static_cast<double>(pods.backoff));
  gauges.unschedulable.Set(static_cast<double>(pods.unschedulable));
  gauges.gated.Set(static_cast<double>(pods.gated));
  gauges.incomplete.Set(static_cast<double>(pods.incomplete));
}

void SchedulerMetrics::set_cache_size(const CacheSize& size) {
  auto& gauges = impl_->cache();
  gauges.nodes.Set(static_cast<double>(size.nodes));
  gauges.pods.Set(static_cast<double>(size.pods));
  gauges.assumed_pods.Set(static_cast<double>(size.assumed_pods));
}

void SchedulerMetrics::set_leading(bool leading) {
  TUTTI_CHECK(impl_->leading != nullptr);
  impl_->leading->Set(leading ? 1 : 0);
}

void SchedulerMetrics::request_finished(std::string_view method, int status, Seconds took) {
  MethodSeries& series = impl_->method(method);
  impl_->requests(series, method, status).Increment();
  series.durations->Observe(took.count());
}

void SchedulerMetrics::set_bindings_in_flight(std::size_t count) {
  impl_->bindings_in_flight.Set(static_cast<double>(count));
}

void SchedulerMetrics::binding_finished(BindingResult result, Seconds took) {
  impl_->bindings.at(index_of(result))->Increment();
  impl_->binding_durations.Observe(took.count());
}

void SchedulerMetrics::gang_taken_back() { impl_->gangs_taken_back.Increment(); }

void SchedulerMetrics::watch_restarted(std::string_view resource) {
  impl_->watch_restarts.Add({{"resource", std::string(resource)}}).Increment();
}

void SchedulerMetrics::event_dropped() { impl_->events_dropped.Increment(); }

void SchedulerMetrics::loop_ran(Seconds busy) {
  impl_->loop_busy.Increment(busy.count());
  impl_->loop_turns.Observe(busy.count());
}

std::string SchedulerMetrics::text(const std::optional<ProcessFigures>& process) const {
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  if (process) append_process(families, *process);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tutti::telemetry
