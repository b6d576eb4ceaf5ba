#include "sim/nodes/device_taint_eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/nodes/rule_condition.h"
#include "sim/plane/conditions.h"
#include "sim/plane/event_recorder.h"

namespace tutti::sim {
namespace {

using model::Kind;
using model::Pod;
using model::ResourceClaim;

constexpr std::string_view kTaintController = "device-taint-eviction";
constexpr std::string_view kReason = "DeviceTaintManagerEviction";

bool uses_claims(const Pod& pod) {
  return !pod.node_name.empty() && !pod.terminal() && !pod.spec->resource_claims.empty();
}

bool of_group(const model::ConsumerReference& consumer) {
  return consumer.resource == "podgroups" && consumer.api_group == "scheduling.k8s.io";
}

bool reserved_for(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.reserved_for, [&](const auto& consumer) {
    if (of_group(consumer)) return consumer.name == pod.spec->scheduling_group;
    return consumer.resource == "pods" && consumer.uid == pod.meta.uid;
  });
}

// Whether the change can matter to whether the pod may stay.
bool matters_to_eviction(const Pod* before, const Pod& after) {
  return !before || before->node_name != after.node_name ||
         before->meta.deletion != after.meta.deletion ||
         before->status.claim_statuses != after.status.claim_statuses;
}

}  // namespace

// --- what happened -------------------------------------------------------------------------------

void DeviceTaintEviction::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case Kind::resource_slice:
    case Kind::device_taint_rule:
      return observe_taints(event);
    case Kind::resource_claim:
      return observe_claim(event);
    case Kind::pod:
      return observe_pod(event);
    default:
      return;
  }
}

void DeviceTaintEviction::observe_taints(const store::WatchEvent& event) {
  if (!taints_.observe(event)) return;
  due_.insert(users_.begin(), users_.end());
  if (event.object().kind != Kind::device_taint_rule) return;
  if (event.after) {
    untold_.insert(event.after->meta.name);
  } else {
    evicted_.erase(event.before->meta.uid);
  }
}

void DeviceTaintEviction::observe_claim(const store::WatchEvent& event) {
  if (taints_.none()) return;
  for (const auto& object : {event.before, event.after}) {
    if (!object) continue;
    for (const auto& consumer : model::as<ResourceClaim>(*object).reserved_for) {
      if (of_group(consumer)) {
        due_.insert(users_.begin(), users_.end());
      } else if (consumer.resource == "pods") {
        due_.insert({Kind::pod, object->meta.ns, consumer.name, {}});
      }
    }
  }
}

void DeviceTaintEviction::observe_pod(const store::WatchEvent& event) {
  if (model::as<Pod>(event.object()).spec->resource_claims.empty()) return;
  const auto key = model::key_of(event.object());
  const auto* before = event.before ? &model::as<Pod>(*event.before) : nullptr;
  const auto* after = event.after ? &model::as<Pod>(*event.after) : nullptr;
  const bool uses = after && uses_claims(*after);
  if (!uses && !users_.contains(key)) return;
  if (uses) {
    users_.insert(key);
  } else {
    users_.erase(key);
  }
  if (!uses || (!taints_.none() && matters_to_eviction(before, *after))) due_.insert(key);
  if (!after && pardon(before->meta.uid)) tell_all_that_evict();
}

void DeviceTaintEviction::settle() {
  for (const auto& key : std::exchange(due_, {})) consider(key);
  for (const auto& name : std::exchange(untold_, {})) {
    const auto rule = plane_.store.find<model::DeviceTaintRule>({}, name);
    if (rule) tell(*rule);
  }
}

// --- who has to go -------------------------------------------------------------------------------

std::vector<model::DeviceResult> DeviceTaintEviction::devices_of(const Pod& pod) const {
  std::vector<model::DeviceResult> devices;
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses.list());
    if (name == nullptr || name->empty()) continue;
    const auto claim = plane_.store.find<ResourceClaim>(pod.meta.ns, *name);
    if (!claim || !claim->allocation || !reserved_for(*claim, pod)) continue;
    const auto& given = claim->allocation->results;
    devices.insert(devices.end(), given.begin(), given.end());
  }
  return devices;
}

std::optional<DeviceTaints::Deadline> DeviceTaintEviction::deadline_of(const Pod& pod) const {
  std::optional<Deadline> first;
  for (const auto& device : devices_of(pod)) {
    const auto deadline = taints_.deadline(device);
    if (deadline && (!first || deadline->when < first->when)) first = deadline;
  }
  return first;
}

void DeviceTaintEviction::consider(const model::ObjectKey& key) {
  const auto pod = plane_.store.find<Pod>(key.ns, key.name);
  if (!pod) return;
  const std::string& uid = pod->meta.uid;
  const bool leaves = pod->meta.deletion || !uses_claims(*pod);
  const auto deadline = leaves ? std::nullopt : deadline_of(*pod);
  const auto known = sentences_.find(uid);
  if (!deadline) {
    if (known == sentences_.end()) return;
    pardon(uid);
    tell_all_that_evict();
    if (leaves) return;
    return record_event(
        plane_, {pod, "Normal", std::string(kReason), "",
                 "its devices have no taint any more that ends it", std::string(kTaintController)});
  }
  if (known != sentences_.end() && known->second.deadline.when == deadline->when) return;
  pardon(uid);
  const auto timer = plane_.clock.at(deadline->when, [this, key, uid] { evict(key, uid); });
  sentences_[uid] = {*deadline, timer};
  tell_all_that_evict();
}

void DeviceTaintEviction::evict(const model::ObjectKey& key, const std::string& uid) {
  const Deadline deadline = sentences_.at(uid).deadline;
  sentences_.erase(uid);
  const auto pod = plane_.store.get(key);
  if (!pod || pod->meta.uid != uid) return;
  const std::string message = "not tolerated: taint " + deadline.cause;
  must(plane_.store.patch(
      key,
      [&](model::Object& object) {
        set_condition(
            static_cast<Pod&>(object).status.conditions,
            condition("DisruptionTarget", "True", "DeletionByDeviceTaintManager", message),
            plane_.clock.now());
      },
      plane_.write()));
  record_event(plane_,
               {pod, "Normal", std::string(kReason), "", message, std::string(kTaintController)});
  const auto rule = taints_.rules().find(deadline.rule);
  if (rule != taints_.rules().end()) ++evicted_[rule->second->meta.uid];
  must(plane_.store.remove(key, plane_.write()));
  tell_all_that_evict();
}

bool DeviceTaintEviction::pardon(const std::string& uid) {
  const auto known = sentences_.find(uid);
  if (known == sentences_.end()) return false;
  plane_.clock.cancel(known->second.timer);
  sentences_.erase(known);
  return true;
}

// --- what rules say ------------------------------------------------------------------------------

void DeviceTaintEviction::tell(const model::DeviceTaintRule& rule) {
  RuleToll toll;
  if (rule.taint.effect == "None") toll.published = taints_.published_under(rule);
  toll.evicted = evicted_.contains(rule.meta.uid) ? evicted_.at(rule.meta.uid) : 0;
  std::set<std::string> namespaces;
  for (const auto& key : users_) {
    const auto pod = plane_.store.find<Pod>(key.ns, key.name);
    if (!pod || pod->meta.deletion) continue;
    const auto devices = devices_of(*pod);
    const bool goes = std::ranges::any_of(devices, [&](const auto& device) {
      return selects(rule, device) && patience(device, rule.taint).has_value();
    });
    if (!goes) continue;
    ++toll.pods;
    namespaces.insert(key.ns);
  }
  toll.namespaces = namespaces.size();
  const auto key = model::key_of(rule);
  auto conditions = rule.conditions;
  model::Condition said = eviction_condition(rule, toll);
  said.observed_generation = rule.meta.generation;
  if (!set_condition(conditions, std::move(said), plane_.clock.now())) return;
  // A rule that is gone has nobody to tell.
  (void)plane_.store.patch(
      key,
      [&](model::Object& object) {
        static_cast<model::DeviceTaintRule&>(object).conditions = conditions;
      },
      plane_.write());
}

// A rule without an effect speaks once, when it comes.
void DeviceTaintEviction::tell_all_that_evict() {
  for (const auto& [name, rule] : taints_.rules()) {
    if (rule->taint.effect == "NoExecute") untold_.insert(name);
  }
}

}  // namespace tutti::sim
