// From observed objects to cluster, groups and queue.
#include <algorithm>

#include "core/framework/transaction.h"
#include "core/scheduler/scheduler.h"
#include "devices/device_state.h"
#include "model/node.h"

namespace tutti::core {
namespace {

bool same_to_plugins(const model::Pod& a, const model::Pod& b) {
  return (a.spec == b.spec || *a.spec == *b.spec) && a.meta.labels == b.meta.labels &&
         a.meta.deletion.has_value() == b.meta.deletion.has_value() && a.node_name == b.node_name &&
         a.priority == b.priority && a.preemption_policy == b.preemption_policy &&
         a.status.container_resources == b.status.container_resources &&
         a.status.claim_statuses == b.status.claim_statuses;
}

EventKind difference(const model::Node& before, const model::Node& after) {
  EventKind kinds = EventKind::none;
  if (before.allocatable != after.allocatable) kinds = kinds | EventKind::node_allocatable;
  if (before.meta.labels != after.meta.labels) kinds = kinds | EventKind::node_labels;
  if (before.taints != after.taints || before.unschedulable != after.unschedulable) {
    kinds = kinds | EventKind::node_taints;
  }
  if (before.images != after.images || before.declared_features != after.declared_features) {
    kinds = kinds | EventKind::node_other;
  }
  return kinds;
}

std::optional<EventKind> event_of(model::Kind kind) {
  switch (kind) {
    case model::Kind::persistent_volume_claim:
    case model::Kind::persistent_volume:
    case model::Kind::storage_class:
    case model::Kind::csi_node:
    case model::Kind::csi_driver:
    case model::Kind::csi_storage_capacity:
    case model::Kind::volume_attachment:
      return EventKind::storage;
    case model::Kind::device_class:
    case model::Kind::resource_claim:
    case model::Kind::resource_slice:
    case model::Kind::device_taint_rule:
      return EventKind::devices;
    case model::Kind::ns:
    case model::Kind::service:
    case model::Kind::replication_controller:
    case model::Kind::replica_set:
    case model::Kind::stateful_set:
    case model::Kind::pod_disruption_budget:
    case model::Kind::topology:
      return EventKind::other_object;
    default:
      return std::nullopt;  // no plugin reads it
  }
}

}  // namespace

void Scheduler::observe(const Observation& observation, Instant now) {
  switch (observation.object->kind) {
    case model::Kind::pod:
      observe_pod(observation, now);
      break;
    case model::Kind::node:
      observe_node(observation, now);
      break;
    case model::Kind::pod_group:
    case model::Kind::composite_pod_group:
      observe_group(observation, now);
      break;
    default:
      observe_other(observation, now);
  }
  release_claims(now);
}

void Scheduler::observe_pod(const Observation& observation, Instant now) {
  auto pod = std::static_pointer_cast<const model::Pod>(observation.object);
  const auto known = cluster_.find_pod(pod->meta.uid);
  const bool waiting_to_die = pod->node_name.empty() && pod->meta.deletion.has_value();
  if (observation.type == Observation::Type::deleted || pod->terminal() || waiting_to_die) {
    if (known) pod_vanished(*known, observation.quiet, now);
  } else if (known) {
    pod_changed(*known, pod, observation.quiet, now);
  } else if (!pod->node_name.empty() || profile_for(*pod) != nullptr) {
    pod_appeared(pod, observation.quiet, now);
  }
}

void Scheduler::join_group(PodId id, const model::Pod& pod, GroupTable::Membership membership) {
  if (pod.spec->scheduling_group.empty()) return;
  const GroupId group = groups_.intern(pod.meta.ns, pod.spec->scheduling_group, false);
  group_of_[id] = group;
  groups_.add_pod(group, id, membership);
}

void Scheduler::pod_appeared(const std::shared_ptr<const model::Pod>& pod, bool quiet,
                             Instant now) {
  const PodId id = cluster_.set_pod(pod);
  const bool waits = pod->node_name.empty();
  join_group(id, *pod, waits ? GroupTable::Membership::pending : GroupTable::Membership::assigned);
  const GroupId group = group_of(id);
  if (waits) {
    queue_.add_pod(id, group, now);
    wake({.kinds = EventKind::pod_pending, .node = {}, .pod = pod.get()}, quiet, now);
  } else {
    assigned(id, now);
    if (group.valid() && !quiet) queue_.group_changed(group, false, now);
    wake({.kinds = EventKind::pod_added, .node = cluster_.pod(id).node, .pod = pod.get()}, quiet,
         now);
  }
}

void Scheduler::assigned(PodId id, Instant now) {
  bind_failures_.erase(id);
  preemption_.noticed(cluster_.pod(id).object->priority.value_or(0));
  const GroupId leaf = group_of(id);
  if (!leaf.valid()) return;
  const bool leaving = cluster_.pod(id).object->meta.deletion.has_value();
  groups_.add_pod(leaf, id,
                  leaving ? GroupTable::Membership::leaving : GroupTable::Membership::assigned);
  // Complete once is complete for good, level by level; only the whole tree settles the account.
  for (GroupId group = leaf; groups_.complete(group); group = groups_[group].parent) {
    completed_.insert(group);
    if (groups_[group].parent.valid()) continue;
    for (const GroupId below : groups_.leaves(group)) {
      bound_by_us_.erase(below);
      repairs_.erase(below);
      settle_intent(below, "Bound", now);
    }
    return;
  }
}

void Scheduler::pod_changed(PodId id, const std::shared_ptr<const model::Pod>& pod, bool quiet,
                            Instant now) {
  const auto before = cluster_.pod(id).object;
  note_checkpoint(id, *pod);
  if (before->status.extended_claim != pod->status.extended_claim) binder_.poke();
  groups_.touch(group_of(id));
  if (same_to_plugins(*before, *pod)) return cluster_.refresh_pod(id, pod);
  const bool waited = before->node_name.empty();
  if (waited && !pod->node_name.empty()) forget_expectations(id, now);
  const bool regrouped = before->spec->scheduling_group != pod->spec->scheduling_group;
  cluster_.set_pod(pod);
  if (regrouped) {
    if (const GroupId old = group_of(id); old.valid()) groups_.remove_pod(old, id);
    group_of_.erase(id);
    queue_.remove_pod(id, now);
    join_group(id, *pod, GroupTable::Membership::pending);
    if (pod->node_name.empty()) queue_.add_pod(id, group_of(id), now);
  }
  if (!pod->node_name.empty()) {
    if (waited) queue_.remove_pod(id, now);
    assigned(id, now);
    wake({.kinds = waited ? EventKind::pod_added : EventKind::pod_updated,
          .node = cluster_.pod(id).node,
          .pod = pod.get()},
         quiet, now);
    return;
  }
  if (!quiet) queue_.update_pod(id, now);
  wake({.kinds = EventKind::pod_updated, .node = {}, .pod = pod.get()}, quiet, now);
}

void Scheduler::pod_vanished(PodId id, bool quiet, Instant now) {
  const auto pod = cluster_.pod(id).object;
  const NodeId node = cluster_.pod(id).node;
  binder_.forget(id);
  forget_expectations(id, now);
  bind_failures_.erase(id);
  if (cluster_.pod(id).assumed) release_placement(cluster_, *profile_for(*pod), id);
  const GroupId group = group_of(id);
  if (group.valid()) {
    const auto held = bound_by_us_.find(group);
    if (held != bound_by_us_.end() && held->second.erase(id) > 0) vacate(group);
    group_of_.erase(id);
    groups_.remove_pod(group, id);
  }
  queue_.remove_pod(id, now);
  cluster_.remove_pod(id);
  if (group.valid()) {
    forget_if_gone(group);
    take_back_if_lost(group, now);
    settle_intent_if_empty(group, now);
  }
  if (node.valid()) {
    wake({.kinds = EventKind::pod_removed, .node = node, .pod = pod.get()}, quiet, now);
  }
}

void Scheduler::forget_if_gone(GroupId group) {
  if (groups_.alive(group)) return;
  completed_.erase(group);
  bound_by_us_.erase(group);
  repairs_.erase(group);
  written_.erase(group);
  intents_.erase(group);
  vacating_.erase(group);
}

void Scheduler::observe_node(const Observation& observation, Instant now) {
  auto node = std::static_pointer_cast<const model::Node>(observation.object);
  const auto known = cluster_.find_node(node->meta.name);
  if (observation.type == Observation::Type::deleted) {
    if (!known) return;
    abandon_holds(*known, now);
    abandon_bindings(*known, now);
    cluster_.remove_node(node->meta.name);
    wake({.kinds = EventKind::node_removed, .node = {}, .pod = nullptr, .object = node.get()},
         observation.quiet, now);
    return;
  }
  const EventKind kinds = known ? difference(cluster_.node(*known), *node) : EventKind::node_added;
  if (kinds == EventKind::none) return cluster_.refresh_node(*known, node);
  const NodeId id = cluster_.set_node(node);
  wake({.kinds = kinds, .node = id, .pod = nullptr, .object = node.get()}, observation.quiet, now);
}

void Scheduler::observe_group(const Observation& observation, Instant now) {
  const bool composite = observation.object->kind == model::Kind::composite_pod_group;
  const auto& meta = observation.object->meta;
  const auto known = groups_.find(meta.ns, meta.name, composite);
  if (observation.type == Observation::Type::deleted) {
    if (!known) return;
    if (!composite) note_class(*known, {});
    groups_.remove_object(*known);
    if (!composite) cluster_.devices().remove_group(meta.ns, meta.name);
    written_.erase(*known);
    intents_.erase(*known);
    cluster_.raise_observed_version();
    queue_.group_changed(*known, false, now);
    forget_if_gone(*known);
    return;
  }
  std::optional<model::GroupSpec> before;
  std::string parent_before;
  if (known && groups_[*known].seen()) {
    before = groups_[*known].spec();
    const Group& group = groups_[*known];
    parent_before = composite ? group.composite_group->parent : group.pod_group->parent;
  }
  const GroupId id =
      composite ? groups_.set(
                      std::static_pointer_cast<const model::CompositePodGroup>(observation.object))
                : groups_.set(std::static_pointer_cast<const model::PodGroup>(observation.object));
  if (!composite) cluster_.devices().set_group(*groups_[id].pod_group);
  inherit(id, now);
  preemption_.noticed(groups_[id].priority());
  if (!notices_.empty()) {
    for (const PodId pod : groups_[id].assigned) note_checkpoint(pod, *cluster_.pod(pod).object);
  }
  const Group& group = groups_[id];
  if (group.pod_group != nullptr) {
    note_class(id, class_words(group.pod_group->meta));
  }
  const std::string& parent = composite ? group.composite_group->parent : group.pod_group->parent;
  if (before && *before == group.spec() && parent_before == parent) return;
  cluster_.raise_observed_version();
  if (observation.quiet) return;
  const bool lowered = before && before->policy.minimum > group.spec().policy.minimum;
  queue_.group_changed(id, lowered, now);
}

// What the group says of its members may be news to those who said nothing.
void Scheduler::note_class(GroupId id, const ClassWords& words) {
  const Group& group = groups_[id];
  if (!cluster_.set_group_class(group.ns, group.name, words)) return;
  for (const auto* pods : {&group.pending, &group.assumed, &group.assigned, &group.leaving}) {
    for (const PodId pod : *pods) cluster_.reclassify(pod);
  }
}

void Scheduler::observe_other(const Observation& observation, Instant now) {
  const auto kinds = event_of(observation.object->kind);
  if (!kinds) return;
  if (observation.type == Observation::Type::deleted) {
    cluster_.remove_object(model::key_of(*observation.object));
  } else {
    cluster_.set_object(observation.object);
  }
  binder_.poke();
  wake({.kinds = *kinds, .node = {}, .pod = nullptr, .object = observation.object.get()},
       observation.quiet, now);
  if (observation.object->kind == model::Kind::resource_claim) note_devices_back(observation, now);
}

void Scheduler::wake(const ClusterEvent& event, bool quiet, Instant now) {
  if (!quiet) queue_.wake(event, now);
}

}  // namespace tutti::core
