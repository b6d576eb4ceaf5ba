#include "controllers/job/job_pods.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <set>
#include <utility>

#include "model/quota_annotations.h"

namespace tutti::controllers {
namespace {

using model::Job;
using model::Pod;
using model::PodPhase;

// Splits off pods whose index is too high or held by a pod that is missed more.
std::vector<PodPtr> take_superfluous(const Job& job, std::vector<PodPtr>& pods) {
  std::vector<PodPtr> out;
  std::set<std::int32_t> seen;
  for (auto at = pods.rbegin(); at != pods.rend(); ++at) {
    const auto index = completion_index(**at);
    const bool wanted = index && *index < *job.completions && seen.insert(*index).second;
    if (!wanted) out.push_back(*at);
  }
  std::erase_if(pods, [&](const PodPtr& pod) { return std::ranges::find(out, pod) != out.end(); });
  return out;
}

}  // namespace

bool is_tracked(const Pod& pod) {
  return std::ranges::find(pod.meta.finalizers, kTracking) != pod.meta.finalizers.end();
}

void stop_tracking(const Pod& pod, Cluster& cluster) {
  // A pod that is gone needs no tracking.
  (void)cluster.patch_meta(model::key_of(pod), [](model::ObjectMeta& meta) {
    std::erase(meta.finalizers.edit(), kTracking);
  });
}

bool has_failed(const Pod& pod, const Job& job) {
  if (pod.status.phase == PodPhase::failed) return true;
  if (job.replaces_failed_only) return false;
  return pod.meta.deletion && pod.status.phase != PodPhase::succeeded;
}

Instant end_of(const Pod& pod) {
  const auto* ready = model::find(pod.status.conditions, "Ready");
  if (ready != nullptr && ready->status == "False" && ready->last_transition) {
    return *ready->last_transition;
  }
  if (pod.meta.deletion) {
    const std::chrono::seconds grace(pod.meta.deletion_grace_seconds.value_or(0));
    return later(*pod.meta.deletion, -grace);
  }
  return *pod.meta.created;
}

std::optional<std::int32_t> completion_index(const Pod& pod) {
  const std::string* text = model::find(pod.meta.annotations, kCompletionIndex);
  if (text == nullptr) return std::nullopt;
  std::int32_t index = 0;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), index);
  if (error != std::errc() || stopped != text->data() + text->size() || index < 0) return {};
  return index;
}

std::vector<PodPtr> pods_to_remove(const Job& job, std::vector<PodPtr> active, std::size_t count) {
  sort_by_least_missed(active);
  // The scheduler has chosen: the highest index leaves first, else the last name.
  if (model::find(job.meta.annotations, model::kAskedParallelism) != nullptr) {
    std::ranges::stable_sort(active, std::ranges::greater{}, [](const PodPtr& pod) {
      return std::pair(completion_index(*pod).value_or(-1), std::string_view(pod->meta.name));
    });
  }
  std::vector<PodPtr> out;
  if (job.indexed) out = take_superfluous(job, active);
  for (const auto& pod : active) {
    if (out.size() >= count) break;
    out.push_back(pod);
  }
  return out;
}

FailureVerdict judge_failure(const Job& job, const Pod& pod) {
  for (std::size_t i = 0; i < job.failure_rules.size(); ++i) {
    for (const auto& pattern : job.failure_rules[i].conditions) {
      const auto* condition = model::find(pod.status.conditions, pattern.type);
      if (condition == nullptr || condition->status != pattern.status) continue;
      return {job.failure_rules[i].action, i, pattern.type};
    }
  }
  return {};
}

}  // namespace tutti::controllers
