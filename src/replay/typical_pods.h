// Typical pods: the kinds of pods that make up most of a trace, for policies that expect them.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "trace/job.h"

namespace tutti::replay {

// The most frequent kinds, by CPU, GPU and models, until they cover 95 % of all pods; the more
// frequent first, and among equals those that ask for more.
std::vector<core::TypicalPod> typical_pods(std::span<const trace::Job> jobs);
std::int64_t count_pods(std::span<const trace::Job> jobs);

}  // namespace tutti::replay
