// Measures: the figures of one run. Times in seconds, GPU in hours of whole devices.
#pragma once

#include <map>

#include "base/std.h"
#include "replay/replay.h"

namespace tutti::replay {

// Figures of a set of jobs.
struct JobFigures {
  std::size_t jobs = 0;
  std::size_t started = 0;
  std::size_t completed = 0;
  // Jobs that started count.
  double wait_mean = 0;
  double wait_p50 = 0;
  double wait_p95 = 0;
  double wait_p99 = 0;
  double wait_max = 0;
  // Jobs that completed count: end - submit, and that as a multiple of the duration or of 10 s.
  double jct_mean = 0;
  double bounded_slowdown = 0;
};

struct Measures {
  JobFigures all;
  std::size_t running = 0;  // at the end
  std::size_t waiting = 0;
  std::size_t killed = 0;
  std::size_t failed = 0;  // jobs, for good
  std::size_t turned_away = 0;
  std::size_t impossible = 0;
  std::optional<double> makespan;  // first submit to last end; absent while somebody runs or waits

  double gpu_hours_capacity = 0;
  double gpu_hours_allocated = 0;  // by adding up at every event
  double gpu_hours_useful = 0;     // by what the jobs say
  double gpu_hours_lost = 0;       // done again, or for nothing
  double gpu_hours_overhead = 0;   // checkpoints and restarts
  double gpu_hours_slowdown = 0;   // that a slower place took; less than 0: it was faster
  double cpu_share_allocated = 0;  // of capacity

  std::uint64_t pod_starts = 0;
  std::uint64_t attempts = 0;  // of jobs
  std::uint64_t preemptions = 0;
  std::uint64_t outages = 0;          // of nodes
  std::uint64_t killed_pods = 0;      // by them
  std::uint64_t failed_attempts = 0;  // that ended by themselves
  // Jobs that completed and did not do exactly their work; there are none.
  std::size_t wrong_work = 0;

  std::map<std::string, JobFigures> by_queue;
  std::map<std::string, JobFigures> by_size;  // GPUs of the job
  std::map<std::string, JobFigures> by_priority;
  std::map<std::string, JobFigures> by_duration;
  // How evenly queues shared the GPUs (the CPUs, where there are none): 1 is evenly, 1/n is all to
  // one of n. Queues whose jobs never waited had what they wanted and do not count; nothing if
  // there are less than two others.
  std::optional<double> jain;
  std::size_t waited_a_day = 0;  // jobs that waited longer than that, started or not
  // Where jobs say when they really started: the mean of their waits.
  std::size_t observed = 0;
  double observed_wait_mean = 0;

  double share(double gpu_hours) const {
    return gpu_hours_capacity > 0 ? gpu_hours / gpu_hours_capacity : 0;
  }
  // (useful + lost + slowdown + overhead) / allocated - 1: what the two ways of counting differ by.
  double residue() const;
};

Measures measure(std::span<const trace::Job> jobs, std::span<const trace::Node> nodes,
                 const Replay& replay);

// What does not add up; empty: nothing.
std::string broken_identity(const Measures& measures);

}  // namespace tutti::replay
