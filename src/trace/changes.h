// What if the trace had been another: a part of it, more load, longer jobs, another order.
#pragma once

#include "base/std.h"
#include "trace/filter.h"
#include "trace/job.h"

namespace tutti::trace {

enum class TraceOrder : std::uint8_t { trace, shuffle, size, reverse };

// What a cluster offers of the resource by which load is counted.
struct Capacity {
  std::int64_t gpu_milli = 0;
  std::int64_t milli_cpu = 0;
};
Capacity capacity_of(std::span<const Node> nodes);

// In the order in which they are applied. Factors are in thousandths.
struct Changes {
  std::optional<Millis> from;  // submitted at this time or later
  std::optional<Millis> to;    // and before this
  std::optional<JobFilter> filter;
  // How many of a thousand jobs, whole ones, chosen by a hash of the seed and their ids.
  std::optional<std::int64_t> sample;
  std::optional<std::int64_t> load;      // divides the time between submits
  std::optional<std::int64_t> duration;  // multiplies durations and limits
  // Jobs are drawn again, and come after the others, until what all ask for reaches this multiple
  // of the capacity: of GPUs, or of CPUs where there are none. Each comes as long after the one
  // before it as it did in the trace.
  std::optional<std::int64_t> repeat_until;
  Capacity capacity = {};
  bool exact_estimates = false;  // limits are durations
  // The times of submits stay; who comes at which is another.
  TraceOrder order = TraceOrder::trace;
  bool no_departures = false;
  std::uint64_t seed = 0;
};

// Applies them and notes in the trace what was done. The first submit is 0 afterwards, unless
// nothing was asked for. What was observed is dropped where times no longer mean the same.
void change(Trace& trace, const Changes& changes);

// Replaces names of jobs, users, queues and namespaces by keyed hashes, the same name by the same
// hash, and drops labels.
void anonymise(Trace& trace, std::string_view key);

}  // namespace tutti::trace
