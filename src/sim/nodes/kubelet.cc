#include "sim/nodes/kubelet.h"

#include <chrono>
#include <optional>
#include <utility>

#include "model/device.h"
#include "model/node.h"
#include "sim/plane/annotations.h"
#include "sim/plane/conditions.h"

namespace tutti::sim {
namespace {

using model::Pod;
using model::PodPhase;

bool is_unreachable(const model::Node& node) {
  const auto* ready = model::find(node.conditions, "Ready");
  return ready && ready->status == "Unknown";
}

// Whether the change can matter to the pod's kubelet; its own status writes do not.
bool matters_to_kubelet(const Pod* before, const Pod& after) {
  return !before || before->node_name != after.node_name ||
         before->meta.deletion != after.meta.deletion ||
         before->meta.annotations != after.meta.annotations || before->spec != after.spec ||
         before->status.claim_statuses != after.status.claim_statuses;
}

// When the pod began to run, of one that came into this world at `arrived`. A start time before
// that, or after now, belongs to the world the pod was copied from; where nobody knows when that
// was done, such a pod begins anew.
Instant begin_of(const Pod& pod, Instant arrived, const Plane& plane) {
  const Instant started = pod.status.start_time.value_or(arrived);
  const bool elsewhere = started < arrived && !plane.copied;
  return elsewhere || started > plane.clock.now() ? arrived : started;
}

struct End {
  Instant when;
  PodPhase phase = PodPhase::failed;
  std::string_view reason;
  std::string_view message;
};

// The first thing that ends the pod; at equal times failure comes before success.
std::optional<End> end_of(const Pod& pod, Instant begin, const Kubelet::ExpectedEnd& expected) {
  std::optional<End> first;
  const auto consider = [&](Instant when, PodPhase phase, std::string_view reason,
                            std::string_view message) {
    if (!first || when < first->when) first = End{when, phase, reason, message};
  };
  if (const auto seconds = pod.spec->active_deadline_seconds) {
    consider(later(begin, std::chrono::seconds(*seconds)), PodPhase::failed, "DeadlineExceeded",
             "the pod ran for longer than activeDeadlineSeconds");
  }
  if (const auto after = duration_annotation(pod, kFailsAfter)) {
    consider(begin + *after, PodPhase::failed, "Error", "tutti.dev/fails-after");
  }
  if (const auto after = duration_annotation(pod, kRunsFor)) {
    consider(begin + *after, PodPhase::succeeded, "", "");
  }
  if (expected && !declares_end(pod)) {
    if (const auto when = expected(pod, begin)) consider(*when, PodPhase::succeeded, "", "");
  }
  return first;
}

void set_running(Pod& pod, Instant now) {
  pod.status.phase = PodPhase::running;
  pod.status.start_time = now;
  for (const auto* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    set_condition(pod.status.conditions, condition(type, "True"), now);
  }
}

void set_finished(Pod& pod, const End& end, Instant now) {
  pod.status.phase = end.phase;
  pod.status.reason = end.reason;
  pod.status.message = end.message;
  const std::string why = end.phase == PodPhase::succeeded ? "PodCompleted" : "PodFailed";
  auto& conditions = pod.status.conditions;
  set_condition(conditions, condition("PodReadyToStartContainers", "False"), now);
  set_condition(conditions, condition("Ready", "False", why), now);
  set_condition(conditions, condition("ContainersReady", "False", why), now);
}

}  // namespace

void Kubelet::observe(const store::WatchEvent& event) {
  if (event.object().kind == model::Kind::pod) observe_pod(event);
  if (event.object().kind == model::Kind::node) observe_node(event);
  if (event.object().kind == model::Kind::resource_claim) {
    for (const auto& key : std::exchange(wait_for_claims_, {})) look_after(key);
  }
}

void Kubelet::observe_pod(const store::WatchEvent& event) {
  if (!event.after) {
    arrivals_.erase(event.before->meta.uid);
    return forget(event.before->meta.uid);
  }
  const auto* before = event.before ? &model::as<Pod>(*event.before) : nullptr;
  const auto& after = model::as<Pod>(*event.after);
  const Instant now = plane_.clock.now();
  if (!before && after.meta.created != now) arrivals_.emplace(after.meta.uid, now);
  if (!after.node_name.empty() && matters_to_kubelet(before, after))
    look_after(model::key_of(after));
}

void Kubelet::observe_node(const store::WatchEvent& event) {
  const auto up = [](const model::ObjectPtr& node) {
    return node && !is_unreachable(model::as<model::Node>(*node));
  };
  if (up(event.before) || !up(event.after)) return;
  for (const auto& key : pods_.on(event.after->meta.name)) look_after(key);
}

void Kubelet::expect(ExpectedEnd expected) {
  expected_ = std::move(expected);
  std::vector<model::ObjectKey> running;
  for (const auto& object : plane_.store.objects(model::Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    if (!pod.node_name.empty() && !pod.terminal()) running.push_back(model::key_of(pod));
  }
  for (const auto& key : running) look_after(key);
}

// Brings the pod to where it should be and plans what comes next. May be called at any time.
void Kubelet::look_after(const model::ObjectKey& key) {
  const auto pod = plane_.store.find<Pod>(key.ns, key.name);
  if (!pod || pod->node_name.empty()) return;
  forget(pod->meta.uid);
  if (!reachable(pod->node_name)) return;
  if (pod->meta.deletion) {
    plan_removal(*pod);
  } else if (pod->status.phase == PodPhase::pending) {
    if (has_devices(*pod)) start(*pod);
  } else if (!pod->terminal()) {
    plan_end(*pod);
  }
}

bool Kubelet::reachable(std::string_view name) const {
  const auto node = plane_.store.find<model::Node>({}, name);
  return node && !is_unreachable(*node);
}

// A pod that came with its node passed no scheduler, which would have seen to its claims.
bool Kubelet::has_devices(const Pod& pod) {
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name != nullptr && name->empty()) continue;  // it needs none
    const auto claim =
        name != nullptr ? plane_.store.find<model::ResourceClaim>(pod.meta.ns, *name) : nullptr;
    if (claim && claim->allocation) continue;
    wait_for_claims_.insert(model::key_of(pod));
    return false;
  }
  wait_for_claims_.erase(model::key_of(pod));
  return true;
}

void Kubelet::start(const Pod& pod) {
  const auto started = plane_.store.patch(
      model::key_of(pod),
      [this](model::Object& object) {
        auto& running = static_cast<Pod&>(object);
        set_running(running, plane_.clock.now());
        running_conditions_.share(running.status.conditions);
      },
      plane_.write());
  if (started.ok()) plan_end(model::as<Pod>(**started));
}

void Kubelet::plan_end(const Pod& pod) {
  const auto end = end_of(pod, begin_of(pod, arrival_of(pod), plane_), expected_);
  if (!end) return;
  plan(pod, end->when, [this, key = model::key_of(pod), end = *end] {
    // A pod that is gone has no end to show.
    (void)plane_.store.patch(
        key,
        [&](model::Object& object) {
          set_finished(static_cast<Pod&>(object), end, plane_.clock.now());
        },
        plane_.write());
  });
}

// Most pods are created in this world, and their own creation time tells.
Instant Kubelet::arrival_of(const Pod& pod) const {
  const auto elsewhere = arrivals_.find(pod.meta.uid);
  return elsewhere != arrivals_.end() ? elsewhere->second : *pod.meta.created;
}

void Kubelet::plan_removal(const Pod& pod) {
  plan(pod, *pod.meta.deletion, [this, key = model::key_of(pod)] {
    // A pod that is gone needs no removal.
    (void)plane_.store.remove(key, plane_.write(), {.grace_seconds = 0});
  });
}

// One timer per pod, and only while its node is reachable when it fires: later the node's return
// plans it anew.
void Kubelet::plan(const Pod& pod, Instant when, VirtualClock::Action action) {
  auto guarded = [this, uid = pod.meta.uid, node = pod.node_name, action = std::move(action)] {
    timers_.erase(uid);
    if (reachable(node)) action();
  };
  timers_[pod.meta.uid] = plane_.clock.at(when, std::move(guarded));
}

void Kubelet::forget(const std::string& uid) {
  const auto timer = timers_.find(uid);
  if (timer == timers_.end()) return;
  plane_.clock.cancel(timer->second);
  timers_.erase(timer);
}

}  // namespace tutti::sim
