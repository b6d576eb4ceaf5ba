#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "admission/validate_update.h"
#include "controllers/garbage/namespace_cleaner.h"
#include "core/framework/claim_patch.h"
#include "core/framework/request_merge.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/node.h"
#include "sim/control_plane.h"
#include "sim/controllers/resource_claims.h"
#include "sim/controllers/volume_binder.h"
#include "sim/nodes/device_taint_eviction.h"
#include "sim/nodes/kubelet.h"
#include "sim/nodes/node_lifecycle.h"
#include "sim/nodes/taint_eviction.h"
#include "sim/plane/conditions.h"
#include "sim/plane/event_recorder.h"
#include "sim/script/applied.h"
#include "store/typed.h"

namespace tutti::sim {
namespace {

using model::Kind;
using model::ObjectKey;
using model::Pod;

constexpr std::size_t kBatch = 4096;

ObjectKey key_of(const core::PodReference& pod) { return {Kind::pod, pod.ns, pod.name, {}}; }

void set_bound(Pod& pod, const std::string& node, Instant now) {
  pod.node_name = node;
  pod.status.nominated_node.clear();
  set_condition(pod.status.conditions, condition("PodScheduled", "True"), now);
}

}  // namespace

// The history is unbounded because the world itself forgets what both of its readers have read.
World::World(Script script, const WorldOptions& options)
    : plane_({.seed = options.seed, .history_max = store::kHistoryUnbounded}, script.taken_at),
      options_(options),
      controller_watch_(plane_.store, 0),
      scheduler_watch_(plane_.store, 0) {
  plane_.pods_made_max = options.pods_made_max;
  owned_.push_back(std::make_unique<NodeLifecycle>(plane_, node_pods_));
  owned_.push_back(std::make_unique<TaintEviction>(plane_, node_pods_));
  auto kubelet = std::make_unique<Kubelet>(plane_, node_pods_);
  kubelet_ = kubelet.get();
  owned_.push_back(std::move(kubelet));
  owned_.push_back(std::make_unique<VolumeBinder>(plane_));
  owned_.push_back(std::make_unique<ResourceClaims>(plane_));
  owned_.push_back(std::make_unique<DeviceTaintEviction>(plane_));
  std::optional<Instant> cron_until;
  if (options.cron_until) cron_until = later(plane_.clock.start(), *options.cron_until);
  owned_.push_back(
      std::make_unique<ControlPlane>(plane_, options.keeps_documents, cron_until, options.queues));
  controllers_ = {&node_pods_, &faults_};
  for (const auto& controller : owned_) controllers_.push_back(controller.get());
  play(std::move(script));
}

World::~World() = default;

void World::play(Script script) {
  const Instant start = plane_.clock.now();
  for (const auto& uid : script.uids) plane_.store.reserve_uid(uid);
  for (auto& action : script.actions) {
    plane_.clock.at(start + action.at, [this, planned = std::move(action)] { perform(planned); });
  }
}

void World::expect_ends(
    std::function<std::optional<Instant>(const model::Pod&, Instant begin)> expected) {
  kubelet_->expect(std::move(expected));
}

bool World::act() {
  bool acted = false;
  do {
    while (plane_.clock.run_one()) acted = true;
    acted |= reconcile();
  } while (plane_.clock.next() == plane_.clock.now());
  return acted;
}

std::vector<store::WatchEvent> World::take_changes() {
  auto changes = scheduler_watch_.poll(store::kHistoryUnbounded);
  TUTTI_CHECK(changes.ok());
  plane_.store.forget_changes(std::min(scheduler_watch_.seen(), controller_watch_.seen()));
  std::erase_if(*changes, [](const auto& change) { return change.object().kind == Kind::event; });
  return *std::move(changes);
}

std::vector<BindCompletion> World::take_completions() { return std::exchange(completions_, {}); }

bool World::reconcile() {
  bool any = false;
  while (controller_watch_.behind()) {
    any = true;
    const auto events = controller_watch_.poll(kBatch);
    TUTTI_CHECK(events.ok());
    for (const auto& event : *events) {
      for (auto* controller : controllers_) controller->observe(event);
      if (!event.after) create_deferred(model::key_of(*event.before));
    }
    for (auto* controller : controllers_) controller->settle();
  }
  return any;
}

// --- the script ----------------------------------------------------------------------------------

void World::perform(const Action& action) {
  switch (action.verb) {
    case Action::Verb::create:
      return create(action);
    case Action::Verb::update:
      return apply(action);
    case Action::Verb::remove:
      return remove(action);
  }
}

void World::create(const Action& action) {
  ensure_namespace(action.key.ns);
  if (const auto present = plane_.store.get(action.key)) {
    // A terminating object holds the name; a live one is what someone else made in the meantime
    // (a namespace implied by its first object).
    if (present->meta.deletion) {
      deferred_.insert_or_assign(action.key, action);
    } else {
      apply(action);
    }
    return;
  }
  const auto write = plane_.write();
  const auto made = plane_.store.create(*action.object, write);
  TUTTI_CHECK(made.ok());
  // Written as terminating, it starts so.
  if (action.object->meta.deletion) must(plane_.store.remove(action.key, write));
}

// An object that is gone (evicted, collected) has nothing left to change.
void World::apply(const Action& action) {
  if (const auto waiting = deferred_.find(action.key); waiting != deferred_.end()) {
    waiting->second.object = action.object;
    return;
  }
  const auto current = plane_.store.get(action.key);
  if (!current) return;
  const auto next = applied(*current, *action.object);
  const store::Write write{plane_.clock.now(), action.quiet};
  must(plane_.store.update(*next, write));
  // These two bring status that is the user's to say; see applied.h.
  if (next->kind == Kind::node || next->kind == Kind::pod_disruption_budget) {
    must(plane_.store.update_status(*next, write));
  }
}

void World::remove(const Action& action) {
  deferred_.erase(action.key);
  if (action.key.kind == Kind::ns) hold_until_empty(action.key);
  // Whoever ended, evicted or collected it came first.
  if (plane_.store.get(action.key))
    must(plane_.store.remove(action.key, plane_.write(), {.grace_seconds = action.grace_seconds}));
}

// A namespace goes when its content is gone; see controllers/garbage.
void World::hold_until_empty(const ObjectKey& ns) {
  if (!plane_.store.get(ns)) return;
  must(plane_.store.patch(
      ns,
      [](model::Object& object) {
        object.meta.finalizers.push_back(std::string(controllers::kNamespaceContent));
      },
      plane_.write()));
}

void World::create_deferred(const ObjectKey& freed) {
  const auto waiting = deferred_.find(freed);
  if (waiting == deferred_.end() || plane_.store.get(freed)) return;
  create(deferred_.extract(waiting).mapped());
}

void World::ensure_namespace(const std::string& name) {
  if (name.empty() || plane_.store.get({Kind::ns, {}, name, {}})) return;
  model::Namespace made;
  made.api_version = "v1";
  made.meta.name = name;
  made.meta.labels = {{"kubernetes.io/metadata.name", name}};
  must(plane_.store.create(made, plane_.write()));
}

// --- the port ------------------------------------------------------------------------------------

std::shared_ptr<const Pod> World::find(const core::PodReference& pod) const {
  auto found = plane_.store.find<Pod>(pod.ns, pod.name);
  return found && (pod.uid.empty() || found->meta.uid == pod.uid) ? found : nullptr;
}

void World::bind(const core::BindRequest& request) {
  plane_.clock.at(plane_.clock.now() + options_.bind_latency, [this, request] {
    completions_.push_back({request.pod, finish_bind(request)});
  });
}

Status World::finish_bind(const core::BindRequest& request) {
  const auto key = key_of(request.pod);
  const auto pod = find(request.pod);
  if (!pod) return Error{Error::Code::not_found, model::describe(key) + " does not exist"};
  if (faults_.strikes(*pod)) {
    return Error{Error::Code::unavailable,
                 fmt::format("binding {} failed by tutti.dev/bind-fails", model::describe(key))};
  }
  if (pod->node_name == request.node) return ok_status();
  if (!plane_.store.find<model::Node>({}, request.node)) {
    return Error{Error::Code::not_found, fmt::format("Node {} does not exist", request.node)};
  }
  const auto problems = admission::validate_binding(*pod, request.node);
  if (!problems.empty()) {
    return Error{Error::Code::conflict,
                 fmt::format("{}: {}: {}", model::describe(key), problems.front().path,
                             problems.front().message)};
  }
  TUTTI_TRY(plane_.store.patch(
      key,
      [&](model::Object& object) {
        auto& bound = static_cast<Pod&>(object);
        set_bound(bound, request.node, plane_.clock.now());
        bound_conditions_.share(bound.status.conditions);
      },
      plane_.write()));
  return ok_status();
}

void World::evict(const core::PodReference& reference, const model::Condition& reason) {
  if (!find(reference)) return;
  patch_pod({.pod = reference, .condition = reason, .nominated_node = {}});
  must(plane_.store.remove(key_of(reference), plane_.write()));
}

void World::patch_pod(const core::PodStatusPatch& patch) {
  const auto pod = find(patch.pod);
  if (!pod) return;
  auto status = pod->status;
  bool changed = false;
  if (patch.condition) {
    changed |= set_condition(status.conditions, *patch.condition, plane_.clock.now());
  }
  if (patch.nominated_node && *patch.nominated_node != status.nominated_node) {
    status.nominated_node = *patch.nominated_node;
    changed = true;
  }
  if (patch.extended_claim && *patch.extended_claim != status.extended_claim) {
    status.extended_claim = *patch.extended_claim;
    changed = true;
  }
  if (!changed) return;
  must(plane_.store.patch(
      key_of(patch.pod),
      [&](model::Object& object) { static_cast<Pod&>(object).status = std::move(status); },
      plane_.write()));
}

void World::patch_group(const core::GroupConditionPatch& patch) {
  const auto group = plane_.store.get(patch.group);
  if (!group) return;
  auto next = store::clone(*group);
  auto& conditions = next->kind == Kind::pod_group
                         ? static_cast<model::PodGroup&>(*next).conditions
                         : static_cast<model::CompositePodGroup&>(*next).conditions;
  if (!set_condition(conditions, patch.condition, plane_.clock.now())) return;
  must(plane_.store.update_status(*next, plane_.write()));
}

void World::record(const core::EventRecord& event) { record_event(plane_, event); }

// Somebody else may have written the object meanwhile, or removed it: the scheduler hears of that
// and looks again, as with an API server that refuses.
void World::update(const model::ObjectPtr& object) {
  (void)plane_.store.update(*object, plane_.write());
}

void World::update_request(const std::shared_ptr<const model::AdmissionRequest>& request) {
  const auto key = model::key_of(*request);
  const auto stored = plane_.store.find<model::AdmissionRequest>(key.ns, key.name);
  if (!stored || stored->meta.uid != request->meta.uid) return;
  auto next = std::make_shared<model::AdmissionRequest>(*stored);
  if (next->spec.active != request->spec.active) {
    next->spec.active = request->spec.active;
    must(plane_.store.update(*next, plane_.write()));
    next->meta.resource_version = 0;  // it has a new one now
  }
  core::merge_status(*next, *request);
  must(plane_.store.update_status(*next, plane_.write()));
}

// The queue may be gone by now.
void World::update_queue_status(const model::ObjectPtr& queue) {
  if (!plane_.store.get(model::key_of(*queue))) return;
  must(plane_.store.update_status(*queue, plane_.write()));
}

void World::patch_claim(const core::ClaimPatch& patch) {
  const auto claim = plane_.store.find<model::ResourceClaim>(patch.ns, patch.name);
  if (!claim || claim->meta.uid != patch.uid || !core::allows(*claim, patch)) return;
  const auto key = model::key_of(*claim);
  must(plane_.store.patch(
      key,
      [&](model::Object& object) {
        core::apply(static_cast<model::ResourceClaim&>(object), patch, plane_.clock.now());
      },
      plane_.write()));
  if (patch.remove && plane_.store.get(key)) must(plane_.store.remove(key, plane_.write()));
}

// One of that name may be there already, as with update().
void World::create_claim(const std::shared_ptr<const model::ResourceClaim>& claim) {
  (void)plane_.store.create(*claim, plane_.write());
}

}  // namespace tutti::sim
