// Jobs that nobody submitted: arrivals of a Poisson process.
//
//   poisson:rate=60,jobs=1000,gpus=1:0.6|2:0.1|8:0.3,duration=lognormal:600:1.5,cpu=8
//
//   rate      jobs per hour; the time between two is -ln(u) / rate
//   jobs      how many; 1000
//   gpus      sizes with weights; the shape is that of logs that say GPUs alone
//   duration  constant:S, uniform:FROM:TO, exponential:MEAN or lognormal:MEDIAN:SIGMA, in seconds:
//             MEDIAN × e^(SIGMA z), with z = √(-2 ln u) cos(2π v)
//   queue     names with weights
//   cpu, memory, model, priority   of every pod
//   seed      of the stream that u and v, between 0 and 1, come from; 0
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/job.h"

namespace tutti::trace {

Result<Trace> make_jobs(std::string_view spec, std::int64_t gpus_per_node);

}  // namespace tutti::trace
