#include "sim/check/gang_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::sim {
namespace {

using model::Kind;
using model::Pod;

bool is_preempted(const Pod& pod) {
  const auto* target = model::find(pod.status.conditions, "DisruptionTarget");
  return target != nullptr && target->status == "True" && target->reason == "PreemptionByScheduler";
}

bool is_up(const Pod& pod) {
  return !pod.node_name.empty() && !pod.terminal() && !pod.meta.deletion && !is_preempted(pod);
}

}  // namespace

void GangWatch::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case Kind::pod:
      return observe_pod(event);
    case Kind::pod_group:
      return observe_group<model::PodGroup>(event, false);
    case Kind::composite_pod_group:
      return observe_group<model::CompositePodGroup>(event, true);
    default:
      return;
  }
}

template <typename T>
void GangWatch::observe_group(const store::WatchEvent& event, bool composite) {
  const auto& object = model::as<T>(event.object());
  Group& group = groups_[{object.meta.ns, object.meta.name, composite}];
  group.seen = event.after != nullptr;
  group.spec = object.spec;
  group.parent = object.parent;
}

void GangWatch::observe_pod(const store::WatchEvent& event) {
  const auto& pod = model::as<Pod>(event.object());
  if (pod.spec->scheduling_group.empty()) return;
  const Name leaf{pod.meta.ns, pod.spec->scheduling_group, false};
  Group& group = groups_[leaf];
  const auto key = model::key_of(pod);
  const bool up = event.after != nullptr && is_up(pod);
  const bool was_up = group.up.contains(key);
  if (up) group.up.insert(key);
  if (!up) group.up.erase(key);
  if (was_up && !up && is_preempted(pod)) note_loss(leaf);
}

void GangWatch::note_loss(Name at) {
  for (auto known = groups_.find(at); known != groups_.end() && known->second.seen;
       known = groups_.find(at)) {
    if (!stands(at)) broken_.insert(at);
    if (known->second.parent.empty()) return;
    at = {at.ns, known->second.parent, true};
  }
}

std::size_t GangWatch::count(const Name& name) const {
  if (!name.composite) return groups_.at(name).up.size();
  return static_cast<std::size_t>(std::ranges::count_if(groups_, [&](const auto& entry) {
    return entry.first.ns == name.ns && entry.second.seen && entry.second.parent == name.name &&
           stands(entry.first);
  }));
}

bool GangWatch::stands(const Name& name) const {
  return count(name) >= static_cast<std::size_t>(groups_.at(name).spec.policy.minimum);
}

bool GangWatch::anyone_up(const Name& name) const {
  if (!name.composite) return !groups_.at(name).up.empty();
  return std::ranges::any_of(groups_, [&](const auto& entry) {
    return entry.first.ns == name.ns && entry.second.parent == name.name && anyone_up(entry.first);
  });
}

std::string GangWatch::check_settled() {
  std::erase_if(broken_, [&](const Name& name) {
    return !groups_.at(name).seen || stands(name) || !anyone_up(name);
  });
  for (const Name& name : broken_) {
    const model::GroupSpec& spec = groups_.at(name).spec;
    if (!spec.policy.gang || spec.disruption == model::DisruptionMode::single) continue;
    return fmt::format(
        "an eviction left {} {}/{} with {} of at least {} {}, which hold their nodes",
        name.composite ? "CompositePodGroup" : "gang", name.ns, name.name, count(name),
        spec.policy.minimum, name.composite ? "groups" : "pods");
  }
  return {};
}

}  // namespace tutti::sim
