// The pods of a Job, sorted by what they mean to it.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/pods.h"
#include "model/job.h"
#include "model/pod.h"

namespace tutti::controllers {

// Held by pods that are not yet counted in the status of their Job.
inline constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";

bool is_tracked(const model::Pod& pod);
void stop_tracking(const model::Pod& pod, Cluster& cluster);
// By default a pod that is being deleted has failed; with podReplacementPolicy Failed only one that
// has ended so.
bool has_failed(const model::Pod& pod, const model::Job& job);
// When it ended, as far as its status tells.
Instant end_of(const model::Pod& pod);
std::optional<std::int32_t> completion_index(const model::Pod& pod);

// Chooses `count` of the active pods, those that are missed least, and for an Indexed Job at least
// those whose index is taken twice or too high.
std::vector<PodPtr> pods_to_remove(const model::Job& job, std::vector<PodPtr> active,
                                   std::size_t count);

// What the pod failure policy says about a failed pod.
struct FailureVerdict {
  model::PodFailureRule::Action action = model::PodFailureRule::Action::count;
  std::size_t rule = 0;        // which one
  std::string_view condition;  // that matched
};
FailureVerdict judge_failure(const model::Job& job, const model::Pod& pod);

}  // namespace tutti::controllers
