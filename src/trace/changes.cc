#include "trace/changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"

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

void keep_sample(Trace& trace, std::int64_t sample) {
  const std::size_t before = trace.jobs.size();
  std::erase_if(trace.jobs, [&](const Job& job) {
    Digest digest;
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

}  // namespace

void change(Trace& trace, const Changes& changes) {
  keep_window(trace, changes);
  if (changes.sample) keep_sample(trace, *changes.sample);
  const bool moves = changes.from || changes.to || changes.sample || changes.load;
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
}

}  // namespace tutti::trace
