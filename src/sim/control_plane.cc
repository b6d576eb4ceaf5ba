#include "sim/control_plane.h"

#include <fmt/format.h>

#include "controllers/apps/deployment_controller.h"
#include "controllers/apps/replica_set_controller.h"
#include "controllers/apps/stateful_set_controller.h"
#include "controllers/disruption/disruption_controller.h"
#include "controllers/garbage/garbage_collector.h"
#include "controllers/garbage/namespace_cleaner.h"
#include "controllers/job/job_controller.h"
#include "controllers/queues/pod_queue_controller.h"
#include "controllers/queues/queue_controller.h"
#include "controllers/queues/replica_tenures.h"
#include "controllers/workloads/conventions.h"
#include "controllers/workloads/group_protection.h"
#include "controllers/workloads/stamping.h"
#include "controllers/workloads/workload_controller.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "sim/plane/event_recorder.h"
#include "store/typed.h"

namespace tutti::sim {

// --- StoreCluster --------------------------------------------------------------------------------

void StoreCluster::observe(const store::WatchEvent& event) {
  dependents_.observe(event);
  quotas_.observe(event, plane_.store);
  if (event.after) {
    limit_ranges().set(*event.after);
  } else {
    limit_ranges().remove(model::key_of(*event.before));
  }
  if (event.object().kind == model::Kind::priority_class) forget_priority_classes();
}

Result<model::ObjectPtr> StoreCluster::create(const model::Object& object) {
  if (object.kind == model::Kind::pod && pods_made_ == plane_.pods_made_max)
    return refuse_more(object);
  auto made = store::clone(object);
  const auto problems = complete_new(*made, now());
  if (!problems.empty()) {
    return Error{Error::Code::invalid,
                 fmt::format("{}: {}: {}", model::describe(object), problems.front().path,
                             problems.front().message)};
  }
  const auto* pod = model::try_as<model::Pod>(*made);
  if (std::string why = pod != nullptr ? quotas_.refusal(*pod) : std::string(); !why.empty()) {
    return Error{Error::Code::invalid, fmt::format("{}: {}", model::describe(object), why)};
  }
  auto created = plane_.store.create(*made, plane_.write());
  if (!created.ok()) return created;
  dependents_.add(**created);
  if (pod != nullptr) {
    quotas_.add(model::as<model::Pod>(**created));
    ++pods_made_;
  }
  return created;
}

Error StoreCluster::refuse_more(const model::Object& pod) {
  const auto* owner = controllers::controller_of(pod.meta);
  const std::string whose = owner == nullptr
                                ? model::describe(pod)
                                : fmt::format("{} {}/{}", owner->kind, pod.meta.ns, owner->name);
  plane_.halted = fmt::format(
      "controllers have made {} pods, as many as a run makes, and {} wants more; --until ends the "
      "run earlier",
      plane_.pods_made_max, whose);
  return {Error::Code::invalid, plane_.halted};
}

Result<model::ObjectPtr> StoreCluster::update(const model::Object& object) {
  return plane_.store.update(object, plane_.write());
}

Result<model::ObjectPtr> StoreCluster::update_status(const model::Object& object) {
  return plane_.store.update_status(object, plane_.write());
}

Result<model::ObjectPtr> StoreCluster::patch_meta(
    const model::ObjectKey& key, const std::function<void(model::ObjectMeta&)>& edit) {
  bool owners_changed = false;
  auto changed = plane_.store.patch(
      key,
      [&](model::Object& object) {
        const auto owners = object.meta.owners;
        edit(object.meta);
        owners_changed = !owners.shares_with(object.meta.owners);
      },
      plane_.write());
  if (changed.ok() && owners_changed) dependents_.add(**changed);
  return changed;
}

void StoreCluster::remove(const model::ObjectKey& key) {
  // What is gone needs no removal.
  (void)plane_.store.remove(key, plane_.write());
}

void StoreCluster::record(const controllers::Note& note) {
  if (!note.about) return;
  record_event(plane_, {note.about, note.warning ? "Warning" : "Normal", note.reason, "",
                        note.message, std::string(note.reporter)});
}

const model::Object* StoreCluster::find(const model::ObjectKey& key) const {
  return plane_.store.get(key).get();
}

std::vector<const model::Object*> StoreCluster::all_of(model::Kind kind) const {
  std::vector<const model::Object*> found;
  for (const auto& object : plane_.store.objects(kind)) found.push_back(object.get());
  return found;
}

bool StoreCluster::has_any(model::Kind kind) const { return !plane_.store.objects(kind).empty(); }

// --- ControlPlane --------------------------------------------------------------------------------

// What holds work comes first: nobody makes pods of work that waits.
ControlPlane::ControlPlane(Plane& plane, bool keeps_documents, std::optional<Instant> cron_until,
                           const controllers::QueueRules& queues)
    : plane_(plane), cluster_(plane, queues) {
  namespace c = controllers;
  const auto origin = plane.copied ? c::Origin::copied : c::Origin::made_here;
  controllers_.push_back(std::make_unique<c::QueueController>(cluster_, queues, origin));
  controllers_.push_back(std::make_unique<c::PodQueueController>(cluster_, queues));
  controllers_.push_back(std::make_unique<c::ReplicaTenures>(cluster_));
  controllers_.push_back(std::make_unique<c::WorkloadController>(cluster_, keeps_documents));
  controllers_.push_back(std::make_unique<c::ConventionController>(cluster_));
  controllers_.push_back(std::make_unique<c::StampingController>(cluster_));
  controllers_.push_back(std::make_unique<c::GroupProtection>(cluster_));
  controllers_.push_back(std::make_unique<c::JobController>(cluster_, origin));
  controllers_.push_back(std::make_unique<c::DeploymentController>(cluster_));
  controllers_.push_back(std::make_unique<c::ReplicaSetController>(cluster_));
  controllers_.push_back(std::make_unique<c::StatefulSetController>(cluster_));
  controllers_.push_back(std::make_unique<DaemonSets>(cluster_, keeps_documents));
  controllers_.push_back(std::make_unique<CronJobs>(cluster_, keeps_documents, cron_until));
  controllers_.push_back(std::make_unique<c::DisruptionController>(cluster_));
  controllers_.push_back(std::make_unique<c::GarbageCollector>(cluster_));
  controllers_.push_back(std::make_unique<c::NamespaceCleaner>(cluster_));
}

void ControlPlane::observe(const store::WatchEvent& event) {
  cluster_.observe(event);
  for (const auto& controller : controllers_) controller->observe(event);
}

// What the controllers write comes back as changes; only a wake-up must be asked for.
void ControlPlane::settle() {
  for (const auto& controller : controllers_) controller->work();
  cluster_.forget_rewrites();
  plan_wakeup();
}

void ControlPlane::plan_wakeup() {
  std::optional<Instant> next;
  for (const auto& controller : controllers_) {
    const auto due = controller->next_due();
    if (due && (!next || *due < *next)) next = due;
  }
  if (wakeup_ && next && wakeup_->when == *next) return;
  if (wakeup_) plane_.clock.cancel(*wakeup_);
  wakeup_.reset();
  if (!next || *next >= kEndOfTime) return;
  wakeup_ = plane_.clock.at(*next, [this] {
    wakeup_.reset();
    settle();
  });
}

}  // namespace tutti::sim
