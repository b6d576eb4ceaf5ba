#include "sim/check/invariants.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::sim {
namespace {

using model::Kind;
using model::Pod;

bool holds_node(const Pod& pod) { return !pod.node_name.empty() && !pod.terminal(); }

}  // namespace

// The resources that core/shapes/ids.h numbers come first, in its order.
Invariants::Invariants() {
  for (const auto* name : {"cpu", "memory", "ephemeral-storage", "pods"}) resources_.intern(name);
}

void Invariants::observe(const store::WatchEvent& event) {
  if (auto problem = preemptions_.observe(event); !problem.empty()) report(std::move(problem));
  if (auto problem = quota_watch_.observe(event); !problem.empty()) report(std::move(problem));
  observe_uid(event);
  gang_watch_.observe(event);
  switch (event.object().kind) {
    case Kind::pod:
      return observe_pod(event);
    case Kind::node:
      return observe_node(event);
    case Kind::pod_group:
      return observe_group(event);
    case Kind::device_class:
      return observe_class(event);
    case Kind::resource_claim:
      return observe_claim(event);
    default:
      return;
  }
}

void Invariants::observe_uid(const store::WatchEvent& event) {
  const auto& uid = event.object().meta.uid;
  const auto key = model::key_of(event.object());
  if (!event.before) {
    const auto [owner, first] = uids_.try_emplace(uid, key);
    if (first) return;
    return report(
        fmt::format("{} has the uid of {}", model::describe(key), model::describe(owner->second)));
  }
  if (event.after) return;
  const auto owner = uids_.find(uid);
  if (owner != uids_.end() && owner->second == key) uids_.erase(owner);
}

void Invariants::observe_pod(const store::WatchEvent& event) {
  const auto* before = event.before ? &model::as<Pod>(*event.before) : nullptr;
  const auto* after = event.after ? &model::as<Pod>(*event.after) : nullptr;
  if (before && after && !before->node_name.empty() && before->node_name != after->node_name) {
    report(fmt::format("{} moved from node '{}' to '{}'", model::describe(*after),
                       before->node_name, after->node_name));
  }
  if (before && holds_node(*before)) leave(*before);
  const bool bound_now = before && before->node_name.empty();
  if (after && holds_node(*after)) enter(*after, bound_now);

  const auto key = model::key_of(event.object());
  unassigned_.erase(key);
  if (after && after->node_name.empty() && !after->terminal()) {
    unassigned_[key] = event.after;
  }
}

void Invariants::observe_node(const store::WatchEvent& event) {
  const auto& name = event.object().meta.name;
  allocatable_.erase(name);
  if (!event.after) return;
  auto& amounts = allocatable_[name];
  for (const auto& [resource, quantity] : model::as<model::Node>(*event.after).allocatable) {
    amounts[resources_.intern(resource)] = amount_of(resource, quantity);
  }
}

void Invariants::observe_group(const store::WatchEvent& event) {
  const Name name{event.object().meta.ns, event.object().meta.name};
  minimums_.erase(name);
  if (!event.after) return;
  const auto& policy = model::as<model::PodGroup>(*event.after).spec.policy;
  if (policy.gang) minimums_[name] = policy.minimum;
}

void Invariants::observe_class(const store::WatchEvent& event) {
  const auto& name = event.object().meta.name;
  class_names_.erase(name);
  if (!event.after) return;
  class_names_[name] = model::as<model::DeviceClass>(*event.after).extended_resource_name;
}

void Invariants::observe_claim(const store::WatchEvent& event) {
  const Name name{event.object().meta.ns, event.object().meta.name};
  claims_.erase(name);
  if (event.after) claims_[name] = event.after;
}

// A resource that some class stands for, and for which the pod has an allocated claim.
bool Invariants::through_claim(const Pod& pod, const std::string& resource) const {
  const bool stands = std::ranges::any_of(class_names_, [&](const auto& entry) {
    return resource == entry.second ||
           resource == std::string(model::kClassResourcePrefix) + entry.first;
  });
  const auto& status = pod.status.extended_claim;
  const auto claim = claims_.find({pod.meta.ns, status.claim_name});
  if (!stands || claim == claims_.end()) return false;
  const auto& object = model::as<model::ResourceClaim>(*claim->second);
  return object.allocation &&
         std::ranges::find(object.reserved_for, pod.meta.uid, &model::ConsumerReference::uid) !=
             object.reserved_for.end() &&
         std::ranges::find(status.requests, resource, &model::ExtendedRequest::resource) !=
             status.requests.end();
}

void Invariants::leave(const Pod& pod) {
  auto& used = used_[pod.node_name];
  for (const auto& [resource, amount] : requests_of(pod)) used[resource.index] -= amount;
  const auto& group = pod.spec->scheduling_group;
  if (group.empty()) return;
  auto& gang = gangs_[{pod.meta.ns, group}];
  const auto key = model::key_of(pod);
  gang.holding.erase(key);
}

void Invariants::enter(const Pod& pod, bool bound_now) {
  const auto requests = requests_of(pod);
  auto& used = used_[pod.node_name];
  for (const auto& [resource, amount] : requests) used[resource.index] += amount;
  if (bound_now) check_room(pod, requests);
  const auto& group = pod.spec->scheduling_group;
  if (group.empty()) return;
  auto& gang = gangs_[{pod.meta.ns, group}];
  // A pod on its way out still fills its node, but holds nothing for the gang any more.
  if (pod.meta.deletion) return;
  const auto key = model::key_of(pod);
  gang.holding.insert(key);
  if (bound_now) gang.unproven.insert(key);
  const auto minimum = minimums_.find({pod.meta.ns, group});
  const bool reached = minimum != minimums_.end() &&
                       gang.holding.size() >= static_cast<std::size_t>(minimum->second);
  if (reached) gang.unproven.clear();
}

void Invariants::check_room(const Pod& pod, const std::vector<core::ResourceAmount>& requests) {
  const auto& used = used_[pod.node_name];
  const auto node = allocatable_.find(pod.node_name);
  if (node == allocatable_.end()) {
    return report(fmt::format("{} was bound to node '{}', which does not exist",
                              model::describe(pod), pod.node_name));
  }
  for (const auto& [resource, amount] : requests) {
    const auto offered = node->second.find(resource.index);
    const std::int64_t limit = offered == node->second.end() ? 0 : offered->second;
    const std::int64_t sum = used.at(resource.index);
    if (sum <= limit) continue;
    if (limit == 0 && through_claim(pod, std::string(resources_.text(resource.index)))) continue;
    report(fmt::format("{} was bound to node '{}', which has {} of {} and now {} in use",
                       model::describe(pod), pod.node_name, limit, resources_.text(resource.index),
                       sum));
  }
}

void Invariants::check_settled(const SchedulerDriver& scheduler) {
  for (const auto& [name, minimum] : minimums_) {
    if (const auto gang = gangs_.find(name); gang != gangs_.end()) {
      check_gang(name, gang->second, minimum);
    }
  }
  if (auto problem = preemptions_.check_settled(); !problem.empty()) report(std::move(problem));
  if (auto problem = gang_watch_.check_settled(); !problem.empty()) report(std::move(problem));
  for (const auto& [key, pod] : unassigned_) {
    if (scheduler.knows(model::as<Pod>(*pod))) continue;
    return report(fmt::format("the scheduler lost {}", model::describe(key)));
  }
}

void Invariants::check_consistent(const SchedulerDriver& scheduler) {
  if (auto problem = scheduler.inconsistency(); !problem.empty()) {
    report("the scheduler's state is inconsistent: " + std::move(problem));
  }
}

// Members that a gang once had at its minimum may leave by themselves; the rest keep running. What
// may not stay is a bind that never was part of a whole gang.
void Invariants::check_gang(const Name& name, Gang& gang, std::int32_t minimum) {
  std::erase_if(gang.unproven, [&](const auto& key) { return !gang.holding.contains(key); });
  if (gang.unproven.empty()) return;
  report(fmt::format("gang {}/{} has {} of at least {} pods on nodes, among them {} bound just now",
                     name.first, name.second, gang.holding.size(), minimum,
                     model::describe(*gang.unproven.begin())));
}

std::vector<core::ResourceAmount> Invariants::requests_of(const Pod& pod) {
  return core::effective_requests(
      pod, [this](std::string_view name) { return core::ResourceId{resources_.intern(name)}; });
}

std::int64_t Invariants::amount_of(std::string_view resource, const Quantity& quantity) const {
  return resource == "cpu" ? quantity.milli() : quantity.units();
}

void Invariants::report(std::string problem) {
  if (broken_.empty()) broken_ = std::move(problem);
}

}  // namespace tutti::sim
