#include "replay/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "replay/statistics.h"

namespace tutti::replay {
namespace {

using State = JobOutcome::State;

double in_seconds(Millis span) { return static_cast<double>(span.count()) / 1000; }

// GPU-milli x milliseconds.
double in_gpu_hours(double milli_millis) {
  constexpr double kMillisPerHour = 3'600'000;
  return milli_millis / 1000 / kMillisPerHour;
}

std::string size_class(const trace::Job& job) {
  constexpr std::int64_t kClasses[] = {1, 4, 8, 32};
  constexpr const char* kNames[] = {"1 GPU or less", "2-4 GPUs", "5-8 GPUs", "9-32 GPUs"};
  const std::int64_t gpus = (job.total_gpu_milli() + trace::kGpu - 1) / trace::kGpu;
  for (std::size_t i = 0; i < std::size(kClasses); ++i) {
    if (gpus <= kClasses[i]) return kNames[i];
  }
  return "more than 32 GPUs";
}

std::string duration_class(const trace::Job& job) {
  if (!job.duration) return "for ever";
  if (*job.duration < std::chrono::minutes(10)) return "less than 10 min";
  if (*job.duration < std::chrono::hours(1)) return "10 min to 1 h";
  return *job.duration < std::chrono::hours(24) ? "1 h to 1 d" : "1 d and more";
}

// What the job got: GPU, or CPU on a cluster without GPUs, times the time that it held it.
double held_by(const trace::Job& job, const JobOutcome& outcome, bool gpus) {
  const std::int64_t amount = gpus ? job.gpu_milli : job.milli_cpu;
  return static_cast<double>(amount) * static_cast<double>(outcome.time.held);
}

// Jain's index of what the tenants that had to wait got.
class Fairness {
 public:
  explicit Fairness(bool gpus) : gpus_(gpus) {}
  void add(const trace::Job& job, const JobOutcome& outcome) {
    Tenant& tenant = tenants_[job.queue];
    tenant.held += held_by(job, outcome, gpus_);
    tenant.waited = tenant.waited || !outcome.first_start || *outcome.first_start > job.submit;
  }
  std::optional<double> index() const {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const auto& [name, tenant] : tenants_) {
      if (!tenant.waited) continue;
      sum += tenant.held;
      squares += tenant.held * tenant.held;
      ++count;
    }
    if (count < 2 || squares == 0) return std::nullopt;
    return sum * sum / (count * squares);
  }

 private:
  struct Tenant {
    double held = 0;
    bool waited = false;
  };
  bool gpus_;
  std::map<std::string, Tenant> tenants_;
};

class Collected {
 public:
  void add(const trace::Job& job, const JobOutcome& outcome) {
    constexpr double kLeastDuration = 10;
    ++figures_.jobs;
    if (!outcome.first_start) return;
    ++figures_.started;
    waits_.push_back(in_seconds(*outcome.first_start - job.submit));
    if (outcome.state != State::completed) return;
    ++figures_.completed;
    const double jct = in_seconds(*outcome.end - job.submit);
    jcts_.push_back(jct);
    const double duration = in_seconds(*job.duration);
    slowdowns_.push_back(std::max(1.0, jct / std::max(duration, kLeastDuration)));
  }
  JobFigures figures() const {
    JobFigures made = figures_;
    made.wait_mean = mean(waits_);
    made.wait_p50 = percentile(waits_, 0.5);
    made.wait_p95 = percentile(waits_, 0.95);
    made.wait_p99 = percentile(waits_, 0.99);
    made.wait_max = percentile(waits_, 1);
    made.jct_mean = mean(jcts_);
    made.bounded_slowdown = mean(slowdowns_);
    return made;
  }

 private:
  JobFigures figures_;
  std::vector<double> waits_;
  std::vector<double> jcts_;
  std::vector<double> slowdowns_;
};

using Groups = std::map<std::string, Collected>;

std::map<std::string, JobFigures> figures_of(const Groups& groups) {
  std::map<std::string, JobFigures> figures;
  for (const auto& [name, collected] : groups) figures[name] = collected.figures();
  return figures;
}

void count_state(State state, Measures& into) {
  into.running += state == State::running ? 1 : 0;
  into.waiting += state == State::waiting ? 1 : 0;
  into.killed += state == State::killed ? 1 : 0;
  into.failed += state == State::failed ? 1 : 0;
  into.turned_away += state == State::turned_away ? 1 : 0;
  into.impossible += state == State::impossible ? 1 : 0;
}

void count_capacity(const Replay& replay, Measures& into) {
  const Usage& usage = replay.usage();
  into.gpu_hours_capacity = in_gpu_hours(usage.offered_gpu_milli_millis);
  into.gpu_hours_allocated = in_gpu_hours(usage.gpu_milli_millis);
  const double cpu = usage.offered_milli_cpu_millis;
  into.cpu_share_allocated = cpu > 0 ? usage.milli_cpu_millis / cpu : 0;
}

// What the job's pods held went into.
void count_time(const trace::Job& job, const JobOutcome& outcome, Measures& into) {
  const auto hours = [&](std::int64_t pod_millis) {
    return in_gpu_hours(static_cast<double>(pod_millis) * static_cast<double>(job.gpu_milli));
  };
  into.gpu_hours_useful += hours(outcome.time.useful);
  into.gpu_hours_lost += hours(outcome.time.lost);
  into.gpu_hours_overhead += hours(outcome.time.overhead);
  into.gpu_hours_slowdown += hours(outcome.time.slowdown());
  const bool wrong = outcome.state == State::completed &&
                     outcome.time.useful != job.duration->count() * job.replicas;
  into.wrong_work += wrong ? 1 : 0;
}

}  // namespace

double Measures::residue() const {
  const double held = gpu_hours_useful + gpu_hours_lost + gpu_hours_slowdown + gpu_hours_overhead;
  return gpu_hours_allocated > 0 ? held / gpu_hours_allocated - 1 : 0;
}

Measures measure(std::span<const trace::Job> jobs, std::span<const trace::Node> nodes,
                 const Replay& replay) {
  Measures made;
  Collected all;
  Groups by_queue;
  Groups by_size;
  Groups by_priority;
  Groups by_duration;
  Fairness fairness(std::ranges::any_of(nodes, [](const auto& node) { return node.gpus > 0; }));
  std::vector<double> observed;
  Millis last_end{0};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const trace::Job& job = jobs[i];
    const JobOutcome& outcome = replay.outcomes()[i];
    count_state(outcome.state, made);
    made.attempts += static_cast<std::uint64_t>(outcome.attempts);
    count_time(job, outcome, made);
    if (outcome.end) last_end = std::max(last_end, *outcome.end);
    if (outcome.state == State::impossible) continue;
    all.add(job, outcome);
    by_queue[job.queue].add(job, outcome);
    by_size[size_class(job)].add(job, outcome);
    by_priority[std::to_string(job.priority)].add(job, outcome);
    by_duration[duration_class(job)].add(job, outcome);
    fairness.add(job, outcome);
    const Millis waited = outcome.first_start.value_or(replay.now()) - job.submit;
    made.waited_a_day += waited > std::chrono::hours(24) ? 1 : 0;
    if (job.observed_start) observed.push_back(in_seconds(*job.observed_start - job.submit));
  }
  made.all = all.figures();
  made.by_queue = figures_of(by_queue);
  made.by_size = figures_of(by_size);
  made.by_priority = figures_of(by_priority);
  made.by_duration = figures_of(by_duration);
  made.jain = fairness.index();
  made.observed = observed.size();
  made.observed_wait_mean = mean(observed);
  if (made.running + made.waiting == 0 && !jobs.empty()) {
    made.makespan = in_seconds(last_end - jobs.front().submit);
  }
  count_capacity(replay, made);
  made.pod_starts = replay.tally().pod_starts;
  made.preemptions = replay.tally().preemptions;
  made.outages = replay.tally().outages;
  made.killed_pods = replay.tally().killed_pods;
  made.failed_attempts = replay.tally().failures;
  return made;
}

std::string broken_identity(const Measures& measures) {
  // Both sides are sums of many doubles; a millionth is far above their rounding.
  constexpr double kRounding = 1e-6;
  if (std::abs(measures.residue()) > kRounding) {
    return fmt::format(
        "useful {}, lost {}, slowdown {} and overhead {} are not the allocated {} GPU-hours",
        measures.gpu_hours_useful, measures.gpu_hours_lost, measures.gpu_hours_slowdown,
        measures.gpu_hours_overhead, measures.gpu_hours_allocated);
  }
  if (measures.wrong_work > 0) {
    return fmt::format("{} jobs completed with more or less than their work", measures.wrong_work);
  }
  const std::size_t ended = measures.all.completed + measures.running + measures.waiting +
                            measures.killed + measures.failed + measures.turned_away;
  if (ended != measures.all.jobs) {
    return fmt::format("{} jobs ended in some way, of {}", ended, measures.all.jobs);
  }
  return {};
}

}  // namespace tutti::replay
