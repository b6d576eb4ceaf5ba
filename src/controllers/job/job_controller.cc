#include "controllers/job/job_controller.h"

#include <chrono>
#include <utility>

#include "controllers/dependents.h"

namespace tutti::controllers {
namespace {

using model::Job;
using model::Kind;
using model::Pod;

constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

// Status is ours, so only the rest can bring news.
bool is_news(const Job* before, const Job& after) {
  return before == nullptr || before->meta.generation != after.meta.generation ||
         before->meta.deletion != after.meta.deletion;
}

bool is_news(const Pod* before, const Pod& after) {
  return before == nullptr || before->status.phase != after.status.phase ||
         before->meta.deletion != after.meta.deletion || is_ready(*before) != is_ready(after);
}

template <typename T>
const T* before_of(const store::WatchEvent& event) {
  return event.before ? &model::as<T>(*event.before) : nullptr;
}

}  // namespace

void JobController::observe(const store::WatchEvent& event) {
  group_index_.observe(event);
  std::erase_if(refused_, [&](const auto& key) {
    const bool again = may_let_in(event, key.ns);
    if (again) look_at(key);
    return again;
  });
  switch (event.object().kind) {
    case Kind::job:
      return observe_job(event);
    case Kind::pod:
      return observe_pod(event);
    case Kind::workload:
    case Kind::pod_group:
      return observe_group(event);
    default:
      return;
  }
}

void JobController::observe_job(const store::WatchEvent& event) {
  if (!event.after) return release_pods_of(model::as<Job>(*event.before));
  const auto& job = model::as<Job>(*event.after);
  if (is_news(before_of<Job>(event), job)) look_at(model::key_of(job));
}

void JobController::observe_pod(const store::WatchEvent& event) {
  if (event.after && !is_news(before_of<Pod>(event), model::as<Pod>(*event.after))) return;
  look_at_owner(event.object());
  const auto& pod = model::as<Pod>(event.object());
  if (event.after && pod.meta.deletion && is_tracked(pod)) look_at(model::key_of(pod));
}

// A delegated Job waits for, and follows, a Workload that does not name it.
void JobController::observe_group(const store::WatchEvent& event) {
  if (!event.after) look_at_owner(*event.before);
  if (event.object().kind != Kind::workload) return;
  for (const auto& key : delegated_) {
    if (key.ns == event.object().meta.ns) look_at(key);
  }
}

void JobController::look_at_owner(const model::Object& object) {
  const auto* owner = controller_of(object.meta);
  if (owner == nullptr || owner->kind != "Job") return;
  look_at({Kind::job, object.meta.ns, owner->name, {}});
}

void JobController::reconcile(const model::ObjectKey& key) {
  if (key.kind == Kind::pod) return release_if_bereft(key);
  sync(key);
}

void JobController::sync(const model::ObjectKey& key) {
  const auto job = objects().find<Job>(key.ns, key.name);
  if (!job || !job->pods.spec) return;
  if (!job->managed_by.empty() && job->managed_by != kOwnName) return;
  if (end_condition(*job) != nullptr) return delete_when_due(*job);
  if (is_delegated(*job)) delegated_.insert(key);
  const auto [memory, is_new] = memories_.try_emplace(job->meta.uid);
  if (is_new) memory->second.is_copy = origin_ == Origin::copied;
  const auto outcome = JobSync(cluster(), groups_, job, memory->second).run();
  if (outcome.look_again) look_at(key, *outcome.look_again);
  if (outcome.refused) refused_.insert(key);
  const auto after = objects().find<Job>(key.ns, key.name);
  if (after && end_condition(*after) != nullptr) delete_when_due(*after);
}

void JobController::delete_when_due(const Job& job) {
  const auto key = model::key_of(job);
  memories_.erase(job.meta.uid);
  delegated_.erase(key);
  if (!job.ttl_seconds || job.meta.deletion) return;
  const Instant ended = end_condition(job)->last_transition.value_or(*job.meta.created);
  const Instant due = later(ended, std::chrono::seconds(*job.ttl_seconds));
  if (due > cluster().now()) return look_at(key, due);
  cluster().remove(key);
}

// Nobody counts them any more.
void JobController::release_pods_of(const Job& gone) {
  memories_.erase(gone.meta.uid);
  refused_.erase(model::key_of(gone));
  delegated_.erase(model::key_of(gone));
  for (const auto& pod : pods_of(gone, cluster())) {
    if (is_tracked(*pod)) stop_tracking(*pod, cluster());
  }
}

// One that came without its Job, too.
void JobController::release_if_bereft(const model::ObjectKey& key) {
  const auto pod = objects().find<Pod>(key.ns, key.name);
  if (!pod || !is_tracked(*pod)) return;
  const auto* owner = controller_of(pod->meta);
  const auto job = owner != nullptr ? objects().find<Job>(key.ns, owner->name) : nullptr;
  if (!job || !is_controlled_by(pod->meta, *job)) stop_tracking(*pod, cluster());
}

}  // namespace tutti::controllers
