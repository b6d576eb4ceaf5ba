// Kueue's labels, annotations and gates, as far as those who hold and start work use them.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::controllers {

// --- what people write on their work ---
inline constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kQueuePriority = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kSecondsMax = "kueue.x-k8s.io/max-exec-time-seconds";
inline constexpr std::string_view kPrebuilt = "kueue.x-k8s.io/prebuilt-workload-name";
inline constexpr std::string_view kLeastParallelism = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kElasticJob = "kueue.x-k8s.io/elastic-job";
inline constexpr std::string_view kCompletionsFollow =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
inline constexpr std::string_view kQueuedGroup = "kueue.x-k8s.io/pod-group-name";
inline constexpr std::string_view kQueuedGroupCount = "kueue.x-k8s.io/pod-group-total-count";
inline constexpr std::string_view kFastAdmission = "kueue.x-k8s.io/pod-group-fast-admission";
inline constexpr std::string_view kServingGroup = "kueue.x-k8s.io/pod-group-serving";
inline constexpr std::string_view kRetriable = "kueue.x-k8s.io/retriable-in-group";

// --- what whoever holds and starts the work writes ---
inline constexpr std::string_view kManagedPod = "kueue.x-k8s.io/managed";
inline constexpr std::string_view kAdmissionGate = "kueue.x-k8s.io/admission";
inline constexpr std::string_view kRequestOfPod = "kueue.x-k8s.io/workload";  // annotation
inline constexpr std::string_view kPodSetOfPod = "kueue.x-k8s.io/podset";     // label

// Which replica of a LeaderWorkerSet a pod is of: a label.
inline constexpr std::string_view kIndexInSet = "leaderworkerset.sigs.k8s.io/group-index";

// Used where a namespace has a LocalQueue of this name and work says none.
inline constexpr std::string_view kDefaultQueue = "default";

// The queue that the object names; empty: none.
inline std::string queue_of(const model::ObjectMeta& meta) {
  const std::string* queue = model::find(meta.labels, kQueueName);
  return queue != nullptr ? *queue : std::string();
}

}  // namespace tutti::controllers
