#include "controllers/queues/queue_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/dependents.h"
#include "controllers/labels.h"
#include "controllers/pods.h"
#include "controllers/queues/queued_owners.h"
#include "controllers/queues/request_name.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/queues/work/queued_kinds.h"
#include "model/job.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Kind;
using model::ObjectKey;
using model::Pod;

// Labels in which pods of the kinds say which set they are of.
constexpr std::array<std::string_view, 4> kSetLabels = {
    "jobset.sigs.k8s.io/replicatedjob-name", "training.kubeflow.org/replica-type", "ray.io/group",
    "trainer.kubeflow.org/trainjob-step"};

FindObject finder(const store::Store& objects) {
  return [&objects](const ObjectKey& key) { return objects.get(key).get(); };
}

bool is_pod_news(const store::WatchEvent& event) {
  if (!event.before || !event.after) return true;
  const auto& before = model::as<Pod>(*event.before);
  const auto& after = model::as<Pod>(*event.after);
  return before.status.phase != after.status.phase || is_ready(before) != is_ready(after);
}

std::string set_of(const Pod& pod, const AdmissionRequest& request) {
  const auto& sets = request.spec.pod_sets;
  if (sets.size() == 1) return sets.front().name;
  for (const std::string_view label : kSetLabels) {
    const std::string* value = model::find(pod.meta.labels, label);
    if (value != nullptr && std::ranges::find(sets, *value, &model::PodSet::name) != sets.end()) {
      return *value;
    }
  }
  return {};
}

}  // namespace

QueueController::QueueController(Cluster& cluster, QueueRules rules, Origin origin)
    : Controller(cluster),
      rules_(std::move(rules)),
      origin_(origin),
      maker_(cluster),
      decoder_(wire::Decoder::Documents::dropped) {}

// --- when something is looked at -----------------------------------------------------------------

// A cluster without queues holds nothing: nobody would ever start it.
void QueueController::observe(const store::WatchEvent& event) {
  const model::Object& object = event.object();
  if (!has_queues_ && (object.kind == Kind::cluster_queue || object.kind == Kind::local_queue)) {
    has_queues_ = true;
    look_at_all();
  }
  if (!has_queues_) return;
  switch (object.kind) {
    case Kind::job:
      look_at(model::key_of(object));
      look_at_owner_of(object);
      break;
    case Kind::pod:
      if (is_pod_news(event)) look_at_owner_of(object);
      break;
    case Kind::admission_request:
      look_at_owner_of(object);
      break;
    case Kind::other:
      if (queued_kind_of(object, rules_) != nullptr) look_at(model::key_of(object));
      [[fallthrough]];
    case Kind::priority_class:
    case Kind::workload_priority_class:
      for (const ObjectKey& key : std::exchange(waiting_, {})) look_at(key);
      break;
    default:
      break;
  }
}

void QueueController::look_at_all() {
  for (const Kind kind : {Kind::job, Kind::other}) {
    for (const auto& object : objects().objects(kind)) {
      if (queued_kind_of(*object, rules_) != nullptr) look_at(model::key_of(*object));
    }
  }
}

// Jobs count their pods themselves, and are looked at when their status changes.
void QueueController::look_at_owner_of(const model::Object& object) {
  const model::OwnerReference* owner = controller_of(object.meta);
  if (owner == nullptr || (object.kind == Kind::pod && owner->kind == "Job")) return;
  const QueuedKind* kind = queued_kind_of(owner->api_version, owner->kind);
  if (kind == nullptr || kind->way != HoldWay::suspended) return;
  const model::Object* above = controller_above(object.meta, finder(objects()));
  if (above != nullptr) look_at(model::key_of(*above));
}

// --- what is done --------------------------------------------------------------------------------

void QueueController::reconcile(const ObjectKey& key) {
  const auto object = objects().get(key);
  if (!object || object->meta.deletion || !is_held_here(*object)) return;
  const auto work = queued_work(object, cluster(), decoder_);
  if (work == nullptr) return;
  if (const RequestPtr request = request_of(object)) return serve(object, *work, request);
  if (work->ending()) return;
  const bool runs_as_copied = origin_ == Origin::copied && !work->suspended();
  if (!runs_as_copied) create_request(object, *work);
}

bool QueueController::is_held_here(const model::Object& object) const {
  const QueuedKind* kind = queued_kind_of(object, rules_);
  return kind != nullptr && kind->way == HoldWay::suspended &&
         waits_by_itself(object, rules_, finder(objects()));
}

// One that was written beforehand becomes the work's own.
RequestPtr QueueController::request_of(const model::ObjectPtr& object) const {
  const std::string* name = model::find(object->meta.labels, kPrebuilt);
  return name != nullptr ? objects().find<AdmissionRequest>(object->meta.ns, *name)
                         : maker_.find(*object);
}

Result<RequestMaker::Wanted> QueueController::wanted_for(const model::ObjectPtr& object,
                                                         QueuedWork& work) const {
  RequestMaker::Wanted wanted{.name = request_name(*object),
                              .about = object,
                              .owners = {controller_reference(*object)},
                              .sets = {},
                              .tenure = {}};
  TUTTI_ASSIGN(wanted.sets, work.asked_sets());
  return wanted;
}

void QueueController::create_request(const model::ObjectPtr& object, QueuedWork& work) {
  if (!work.suspended()) stop(object, work, nullptr);
  if (has_live_pods(object->meta.uid)) return;  // of an earlier request; they end
  if (model::find(object->meta.labels, kPrebuilt) != nullptr) return;  // it comes, or never does
  auto wanted = wanted_for(object, work);
  if (!wanted.ok()) return refuse(object, wanted.error().message);
  const auto made = maker_.make(*std::move(wanted));
  if (!made.ok()) refuse(object, made.error().message);
}

void QueueController::serve(const model::ObjectPtr& object, QueuedWork& work,
                            const RequestPtr& request) {
  if (controller_of(request->meta) == nullptr) {
    // One that is gone meanwhile is found missing at the next look.
    (void)cluster().patch_meta(model::key_of(*request), [&](model::ObjectMeta& meta) {
      meta.owners.push_back(controller_reference(*object));
    });
  }
  if (const auto ending = work.ending()) {
    if (is_finished(*request)) return;
    say_finished(request, *ending, cluster());
    return cluster().record(
        {kQueueReporter, object, false, "FinishedWorkload",
         "Workload '" + request->meta.ns + "/" + request->meta.name + "' is declared finished"});
  }
  if (may_run(*request)) {
    if (!work.suspended() && work.outgrows(*request)) return start_over(object, work, *request);
    if (work.suspended() || !work.is_started_by(*request)) {
      start(object, work, *request);
    } else if (!work.is_sized_by(*request)) {
      resize(object, work, *request);
    }
    say_reclaimable(request, work.reclaimable(*request), cluster());
  } else if (!work.suspended()) {
    stop(object, work, request);
  } else if (!model::has_quota(*request) &&
             model::find(object->meta.labels, kPrebuilt) == nullptr) {
    auto wanted = wanted_for(object, work);
    const Status followed =
        wanted.ok() ? maker_.follow(*request, *std::move(wanted)) : Status(wanted.error());
    if (!followed.ok()) refuse(object, followed.error().message);
    // Work whose members go when it is stopped does all of it again.
    const auto now = objects().find<AdmissionRequest>(request->meta.ns, request->meta.name);
    if (now != nullptr) say_reclaimable(now, work.reclaimable(*now), cluster());
  }
  if (!rules_.reports_readiness) return;
  const auto now = objects().find<AdmissionRequest>(request->meta.ns, request->meta.name);
  if (now != nullptr) say_ready(now, work.is_ready(*now), cluster());
}

void QueueController::stop(const model::ObjectPtr& object, const QueuedWork& work,
                           const RequestPtr& request) {
  const auto written = cluster().update(*work.stopped(request.get()));
  if (!written.ok()) return refuse(object, written.error().message);
  const model::Condition* evicted =
      request != nullptr ? model::find(request->status.conditions, "Evicted") : nullptr;
  const bool told = evicted != nullptr && evicted->status == "True";
  cluster().record({kQueueReporter, object, false, told ? "Stopped" : "Suspended",
                    told ? evicted->message : "It waits in a queue"});
}

void QueueController::start(const model::ObjectPtr& object, const QueuedWork& work,
                            const AdmissionRequest& request) {
  const bool resumes = work.suspended();
  const auto written = cluster().update(*work.started(request));
  if (!written.ok()) return refuse(object, written.error().message);
  if (!resumes) return tell_pods(*object, request);
  cluster().record({kQueueReporter, object, false, "Started",
                    "Admitted by clusterQueue " + request.status.admission->cluster_queue});
}

// Its pods stay as far as they are promised.
void QueueController::resize(const model::ObjectPtr& object, const QueuedWork& work,
                             const AdmissionRequest& request) {
  const auto written = cluster().update(*work.started(request));
  if (!written.ok()) return refuse(object, written.error().message);
  std::int32_t asked = 0;
  std::int32_t promised = 0;
  for (const model::PodSet& set : request.spec.pod_sets) {
    asked += set.count;
    promised += promised_count(request, set);
  }
  cluster().record({kQueueReporter, object, false, "Resized",
                    fmt::format("Runs with {} of {} pods", promised, asked)});
}

// Work that has grown beyond what it was promised asks for all of it anew, once its pods are gone.
void QueueController::start_over(const model::ObjectPtr& object, const QueuedWork& work,
                                 const AdmissionRequest& request) {
  const auto written = cluster().update(*work.stopped(&request));
  if (!written.ok()) return refuse(object, written.error().message);
  cluster().remove(model::key_of(request));
  cluster().record({kQueueReporter, object, false, "Stopped",
                    "It asks for more pods than it was admitted with"});
}

bool QueueController::has_live_pods(const std::string& owner_uid) const {
  return std::ranges::any_of(dependents().of(owner_uid), [&](const ObjectKey& key) {
    const auto below = objects().get(key);
    if (below == nullptr) return false;
    if (key.kind == Kind::job) return has_live_pods(below->meta.uid);
    const auto* pod = model::try_as<Pod>(*below);
    return pod != nullptr && !pod->terminal();
  });
}

// Pods that were there before their work was told whose it is.
void QueueController::tell_pods(const model::Object& owner, const AdmissionRequest& request) {
  for (const ObjectKey& key : dependents().of(owner.meta.uid)) {
    const auto below = objects().get(key);
    if (below == nullptr) continue;
    if (key.kind == Kind::job) tell_pods(*below, request);
    const auto* pod = model::try_as<Pod>(*below);
    if (pod == nullptr || pod->terminal()) continue;
    const std::string set = set_of(*pod, request);
    if (set.empty() || model::find(pod->meta.annotations, kRequestOfPod) != nullptr) continue;
    // A pod that is gone is nobody's.
    (void)cluster().patch_meta(key, [&](model::ObjectMeta& meta) {
      set_label(meta.annotations, kRequestOfPod, request.meta.name);
      set_label(meta.labels, kPodSetOfPod, set);
    });
  }
}

void QueueController::refuse(const model::ObjectPtr& object, const std::string& why) {
  waiting_.insert(model::key_of(*object));
  cluster().record({kQueueReporter, object, true, "FailedCreate", "Error creating: " + why});
}

}  // namespace tutti::controllers
