// RunTime: how long work runs, by what its objects say. A bound is kept by somebody (the work is
// over by then), an estimate by nobody.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "model/admission_request.h"
#include "model/pod.h"

namespace tutti::core {

// On Workload, ClusterQueue (the default of its requests) and pods: an estimate.
inline constexpr std::string_view kExpectedRuntime = "tutti.dev/expected-runtime";
// "true": it may be evicted when its estimate was wrong and the one it was let pass is to start.
inline constexpr std::string_view kYield = "tutti.dev/yield";
// On Workloads, written with them: activeDeadlineSeconds of their Job, and how many times over its
// pods run one after another.
inline constexpr std::string_view kActiveDeadline = "tutti.dev/active-deadline";
inline constexpr std::string_view kRounds = "tutti.dev/rounds";

struct RunTime {
  // The smallest of what bounds it, with the grace that its pods have to leave; counted from its
  // start, and from its admission.
  std::optional<Millis> bound{};
  std::optional<Millis> bound_since_admission{};
  std::optional<Millis> estimate{};
  bool yields = false;

  // From the moment at which it is admitted and starts at once.
  std::optional<Millis> longest() const;
  friend bool operator==(const RunTime&, const RunTime&) = default;
};

// `by_default`: an estimate for those that say nothing.
RunTime run_time_of(const model::AdmissionRequest& request,
                    std::optional<Millis> by_default = std::nullopt);
RunTime run_time_of(const model::Pod& pod);

// A duration that an annotation gives; nothing where it is missing, no duration, or not positive.
std::optional<Millis> duration_in(const model::Labels& annotations, std::string_view key);

}  // namespace tutti::core
