#include "trace/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/digest.h"
#include "base/random.h"
#include "trace/gzip.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kOne = 1000;  // a factor of 1

Millis scaled(Millis span, std::int64_t factor, std::int64_t divisor) {
  __extension__ typedef __int128 Wide;
  return Millis{static_cast<std::int64_t>(Wide{span.count()} * factor / divisor)};
}

void forget_observations(Trace& trace) {
  for (Job& job : trace.jobs) {
    job.observed_start.reset();
    job.observed_end.reset();
  }
}

void keep_window(Trace& trace, const Changes& changes) {
  if (!changes.from && !changes.to) return;
  const std::size_t before = trace.jobs.size();
  std::erase_if(trace.jobs, [&](const Job& job) {
    return job.submit < changes.from.value_or(Millis::min()) ||
           job.submit >= changes.to.value_or(Millis::max());
  });
  trace.changes.push_back(
      fmt::format("window of submits: {} of {} jobs", trace.jobs.size(), before));
}

void keep_accepted(Trace& trace, const JobFilter& filter) {
  const std::size_t before = trace.jobs.size();
  std::erase_if(trace.jobs, [&](const Job& job) { return !filter.accepts(job); });
  trace.changes.push_back(
      fmt::format("filter {}: {} of {} jobs", filter.text(), trace.jobs.size(), before));
}

void keep_sample(Trace& trace, std::int64_t sample, std::uint64_t seed) {
  const std::size_t before = trace.jobs.size();
  std::erase_if(trace.jobs, [&](const Job& job) {
    Digest digest;
    if (seed != 0) digest.add(seed);
    digest.add(std::string_view(job.id));
    return digest.value() % static_cast<std::uint64_t>(kOne) >= static_cast<std::uint64_t>(sample);
  });
  trace.changes.push_back(fmt::format("sample: {} of {} jobs", trace.jobs.size(), before));
}

std::string factor_text(std::int64_t thousandths) {
  return fmt::format("{:g}", static_cast<double>(thousandths) / static_cast<double>(kOne));
}

void scale_durations(Trace& trace, std::int64_t factor) {
  for (Job& job : trace.jobs) {
    if (job.duration) job.duration = scaled(*job.duration, factor, kOne);
    if (job.limit) job.limit = scaled(*job.limit, factor, kOne);
  }
  forget_observations(trace);
  trace.changes.push_back(fmt::format("durations and limits times {}", factor_text(factor)));
}

// How much of the capacity the job asks for; a resource that the cluster lacks counts nothing.
std::int64_t asked_for(const Job& job, const Capacity& capacity) {
  if (capacity.gpu_milli > 0) return job.total_gpu_milli();
  return job.milli_cpu * job.replicas;
}

// A stream of random numbers for each purpose, so that one change does not change another.
Random stream(std::uint64_t seed, std::string_view purpose) {
  Digest digest;
  digest.add(seed);
  digest.add(purpose);
  return Random(digest.value());
}

void repeat(Trace& trace, const Changes& changes) {
  __extension__ typedef __int128 Wide;
  const std::int64_t whole =
      changes.capacity.gpu_milli > 0 ? changes.capacity.gpu_milli : changes.capacity.milli_cpu;
  const Wide goal = Wide{whole} * *changes.repeat_until / kOne;
  Wide asked = 0;
  for (const Job& job : trace.jobs) asked += asked_for(job, changes.capacity);
  const std::size_t originals = trace.jobs.size();
  constexpr std::size_t kJobsMax = 10'000'000;
  Random random = stream(changes.seed, "repeat");
  const bool ends = asked > 0;  // jobs that ask for nothing never reach it
  while (ends && asked < goal && trace.jobs.size() < kJobsMax) {
    const auto drawn = static_cast<std::size_t>(random.below(originals));
    Job copy = trace.jobs[drawn];
    const Millis gap =
        drawn == 0 ? Millis{0} : trace.jobs[drawn].submit - trace.jobs[drawn - 1].submit;
    copy.id = fmt::format("{}~{}", copy.id, trace.jobs.size() - originals + 1);
    copy.submit = trace.jobs.back().submit + gap;
    copy.observed_start.reset();
    copy.observed_end.reset();
    asked += asked_for(copy, changes.capacity);
    trace.jobs.push_back(std::move(copy));
  }
  trace.changes.push_back(fmt::format("repeated until {} of the capacity: {} jobs and {} again",
                                      factor_text(*changes.repeat_until), originals,
                                      trace.jobs.size() - originals));
}

void put_in_order(Trace& trace, TraceOrder order, std::uint64_t seed) {
  std::vector<Millis> submits;
  for (const Job& job : trace.jobs) submits.push_back(job.submit);
  auto& jobs = trace.jobs;
  if (order == TraceOrder::reverse) std::ranges::reverse(jobs);
  if (order == TraceOrder::size) {
    // The largest first.
    std::ranges::stable_sort(jobs, std::greater<>{}, [](const Job& job) {
      return std::pair(job.total_gpu_milli(), job.milli_cpu * job.replicas);
    });
  }
  if (order == TraceOrder::shuffle) {
    Random random = stream(seed, "shuffle");
    for (std::size_t i = jobs.size(); i > 1; --i) {
      std::swap(jobs[i - 1], jobs[static_cast<std::size_t>(random.below(i))]);
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].submit = submits[i];
  forget_observations(trace);
  constexpr std::string_view kNames[] = {"trace", "shuffle", "size", "reverse"};
  trace.changes.push_back(fmt::format("order: {}", kNames[static_cast<std::size_t>(order)]));
}

void let_limits_be_exact(Trace& trace) {
  for (Job& job : trace.jobs) job.limit = job.duration;
  trace.changes.emplace_back("estimates: exact");
}

void keep_for_ever(Trace& trace) {
  for (Job& job : trace.jobs) job.duration.reset();
  trace.changes.emplace_back("no departures");
}

}  // namespace

Capacity capacity_of(std::span<const Node> nodes) {
  Capacity sum;
  for (const Node& node : nodes) {
    sum.gpu_milli += node.gpus * kGpu;
    sum.milli_cpu += node.milli_cpu;
  }
  return sum;
}

void change(Trace& trace, const Changes& changes) {
  keep_window(trace, changes);
  if (changes.filter) keep_accepted(trace, *changes.filter);
  if (changes.sample) keep_sample(trace, *changes.sample, changes.seed);
  const bool moves = changes.from || changes.to || changes.filter || changes.sample || changes.load;
  if (moves && !trace.jobs.empty()) {
    const Millis zero = trace.jobs.front().submit;
    for (Job& job : trace.jobs) {
      job.submit -= zero;
      if (job.observed_start) *job.observed_start -= zero;
      if (job.observed_end) *job.observed_end -= zero;
    }
  }
  if (changes.load) {
    for (Job& job : trace.jobs) job.submit = scaled(job.submit, kOne, *changes.load);
    forget_observations(trace);
    trace.changes.push_back(fmt::format("load times {}", factor_text(*changes.load)));
  }
  if (changes.duration) scale_durations(trace, *changes.duration);
  if (changes.repeat_until && !trace.jobs.empty()) repeat(trace, changes);
  if (changes.exact_estimates) let_limits_be_exact(trace);
  if (changes.order != TraceOrder::trace) put_in_order(trace, changes.order, changes.seed);
  if (changes.no_departures) keep_for_ever(trace);
}

void anonymise(Trace& trace, std::string_view key) {
  for (Job& job : trace.jobs) {
    for (std::string* name : {&job.id, &job.user, &job.queue, &job.ns}) {
      *name = keyed_hash(key, *name);
    }
    job.labels.clear();
  }
  trace.changes.emplace_back("names replaced by keyed hashes, labels dropped");
}

}  // namespace tutti::trace
