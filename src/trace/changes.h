// What if the trace had been another: a part of it, more load, longer jobs.
#pragma once

#include "base/std.h"
#include "trace/job.h"

namespace tutti::trace {

// In the order in which they are applied. Factors are in thousandths.
struct Changes {
  std::optional<Millis> from;  // submitted at this time or later
  std::optional<Millis> to;    // and before this
  // How many of a thousand jobs, whole ones, chosen by a hash of their ids.
  std::optional<std::int64_t> sample;
  std::optional<std::int64_t> load;      // divides the time between submits
  std::optional<std::int64_t> duration;  // multiplies durations and limits
};

// Applies them and notes in the trace what was done. The first submit is 0 afterwards, unless
// nothing was asked for. What was observed is dropped where times no longer mean the same.
void change(Trace& trace, const Changes& changes);

}  // namespace tutti::trace
