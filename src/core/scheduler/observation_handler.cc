#include "core/scheduler/observation_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "core/framework/transaction.h"
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

// What a group's object says that decisions depend on.
struct GroupWords {
  model::GroupSpec spec;
  std::string parent;
  bool operator==(const GroupWords&) const = default;
};

// Requires group.seen().
GroupWords words_of(const Group& group) {
  return {.spec = group.spec(),
          .parent = group.composite ? group.composite_group->parent : group.pod_group->parent};
}

GroupId set_group(GroupTable& groups, const model::ObjectPtr& object) {
  if (object->kind == model::Kind::composite_pod_group) {
    return groups.set(std::static_pointer_cast<const model::CompositePodGroup>(object));
  }
  return groups.set(std::static_pointer_cast<const model::PodGroup>(object));
}

}  // namespace

void ObservationHandler::observe(const Observation& observation, Instant now) {
  if (Broker::concerns(observation.object->kind)) listeners_.broker.observe(observation, now);
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
  listeners_.group_claims.release(now);
}

void ObservationHandler::observe_pod(const Observation& observation, Instant now) {
  auto pod = std::static_pointer_cast<const model::Pod>(observation.object);
  const auto known = state_.cluster.pods().find(pod->meta.uid);
  const Wakes wakes = wakes_of(observation);
  const bool waiting_to_die = pod->node_name.empty() && pod->meta.deletion.has_value();
  if (observation.type == Observation::Type::deleted || pod->terminal() || waiting_to_die) {
    if (known) pod_vanished(*known, wakes, now);
  } else if (known) {
    pod_changed(*known, pod, wakes, now);
  } else if (!pod->node_name.empty() || state_.profile_for(*pod) != nullptr) {
    pod_appeared(pod, wakes, now);
  }
}

void ObservationHandler::pod_appeared(const std::shared_ptr<const model::Pod>& pod, Wakes wakes,
                                      Instant now) {
  const PodId id = state_.cluster.set_pod(pod);
  listeners_.broker.pod_seen(id);
  const bool waits = pod->node_name.empty();
  state_.join_group(id, *pod,
                    waits ? GroupTable::Membership::pending : GroupTable::Membership::assigned);
  const GroupId group = state_.group_of(id);
  if (waits) {
    state_.queue.add_pod(id, group, now);
    wake({.kinds = EventKind::pod_pending, .node = {}, .pod = pod.get()}, wakes, now);
  } else {
    assigned(id, now);
    if (group.valid() && wakes == Wakes::yes) {
      state_.queue.group_changed(group, GroupNews::other, now);
    }
    wake({.kinds = EventKind::pod_added, .node = state_.cluster.pod(id).node, .pod = pod.get()},
         wakes, now);
  }
}

void ObservationHandler::assigned(PodId id, Instant now) {
  listeners_.eviction.noticed(state_.cluster.pod(id).object->priority.value_or(0));
  listeners_.binding.assigned(id, now);
}

void ObservationHandler::pod_changed(PodId id, const std::shared_ptr<const model::Pod>& pod,
                                     Wakes wakes, Instant now) {
  const auto before = state_.cluster.pod(id).object;
  listeners_.victims.note_checkpoint(id, *pod);
  if (before->status.extended_claim != pod->status.extended_claim) listeners_.binding.poke();
  state_.groups.touch(state_.group_of(id));
  if (same_to_plugins(*before, *pod)) {
    state_.cluster.refresh_pod(id, pod);
    return listeners_.broker.pod_seen(id);
  }
  const bool waited = before->node_name.empty();
  if (waited && !pod->node_name.empty()) listeners_.eviction.forget(id, now);
  const bool regrouped = before->spec->scheduling_group != pod->spec->scheduling_group;
  state_.cluster.set_pod(pod);
  listeners_.broker.pod_seen(id);
  if (regrouped) move_to_group(id, *pod, now);
  if (!pod->node_name.empty()) {
    if (waited) state_.queue.remove_pod(id, now);
    assigned(id, now);
    wake({.kinds = waited ? EventKind::pod_added : EventKind::pod_updated,
          .node = state_.cluster.pod(id).node,
          .pod = pod.get()},
         wakes, now);
    return;
  }
  if (wakes == Wakes::yes) state_.queue.update_pod(id, now);
  wake({.kinds = EventKind::pod_updated, .node = {}, .pod = pod.get()}, wakes, now);
}

void ObservationHandler::move_to_group(PodId id, const model::Pod& pod, Instant now) {
  if (const GroupId old = state_.group_of(id); old.valid()) state_.groups.remove_pod(old, id);
  state_.leaf_of.erase(id);
  state_.queue.remove_pod(id, now);
  state_.join_group(id, pod, GroupTable::Membership::pending);
  if (pod.node_name.empty()) state_.queue.add_pod(id, state_.group_of(id), now);
}

void ObservationHandler::pod_vanished(PodId id, Wakes wakes, Instant now) {
  const auto pod = state_.cluster.pod(id).object;
  const NodeId node = state_.cluster.pod(id).node;
  listeners_.binding.forget(id);
  listeners_.eviction.forget(id, now);
  if (state_.cluster.pod(id).assumed) {
    release_placement(state_.cluster, *state_.profile_for(*pod), id);
  }
  const GroupId group = state_.group_of(id);
  if (group.valid()) {
    listeners_.binding.lose_member(group, id);
    state_.leaf_of.erase(id);
    state_.groups.remove_pod(group, id);
  }
  state_.queue.remove_pod(id, now);
  listeners_.broker.pod_gone(id, now);
  state_.cluster.remove_pod(id);
  if (group.valid()) {
    forget_if_gone(group);
    listeners_.binding.take_back_if_lost(group, now);
    listeners_.group_claims.close_intent_if_empty(group, now);
  }
  if (node.valid()) {
    wake({.kinds = EventKind::pod_removed, .node = node, .pod = pod.get()}, wakes, now);
  }
}

void ObservationHandler::forget_if_gone(GroupId group) {
  if (state_.groups.alive(group)) return;
  listeners_.binding.forget_group(group);
  listeners_.status.forget(group);
  listeners_.intents.forget(group);
  listeners_.group_claims.forget(group);
}

void ObservationHandler::observe_node(const Observation& observation, Instant now) {
  auto node = std::static_pointer_cast<const model::Node>(observation.object);
  const auto known = state_.cluster.nodes().find(node->meta.name);
  if (observation.type == Observation::Type::deleted) {
    if (!known) return;
    listeners_.eviction.abandon(*known, now);
    // Before those who are bound: pods that stand for others are assumed, too, and bound by nobody.
    listeners_.broker.abandon(*known);
    listeners_.binding.abandon(*known, now);
    state_.cluster.remove_node(node->meta.name);
    wake({.kinds = EventKind::node_removed, .node = {}, .pod = nullptr, .object = node.get()},
         wakes_of(observation), now);
    return;
  }
  const EventKind kinds =
      known ? difference(state_.cluster.node(*known), *node) : EventKind::node_added;
  if (kinds == EventKind::none) return state_.cluster.refresh_node(*known, node);
  const NodeId id = state_.cluster.set_node(node);
  wake({.kinds = kinds, .node = id, .pod = nullptr, .object = node.get()}, wakes_of(observation),
       now);
}

void ObservationHandler::observe_group(const Observation& observation, Instant now) {
  const bool composite = observation.object->kind == model::Kind::composite_pod_group;
  const auto& meta = observation.object->meta;
  const auto known = state_.groups.find(meta.ns, meta.name, composite);
  if (observation.type == Observation::Type::deleted) {
    if (known) group_vanished(*known, meta, now);
    return;
  }
  std::optional<GroupWords> before;
  if (known && state_.groups[*known].seen()) before = words_of(state_.groups[*known]);
  const GroupId id = set_group(state_.groups, observation.object);
  const Group& group = state_.groups[id];
  if (!composite) state_.cluster.devices().groups().set(*group.pod_group);
  listeners_.takeover.inherit(id, now);
  listeners_.eviction.noticed(group.priority());
  if (!listeners_.victims.nobody_under_notice()) {
    for (const PodId pod : group.assigned) {
      listeners_.victims.note_checkpoint(pod, *state_.cluster.pod(pod).object);
    }
  }
  if (!composite) note_class(id, class_words(group.pod_group->meta));
  const GroupWords after = words_of(group);
  if (before == after) return;
  state_.cluster.raise_observed_version();
  if (observation.quiet) return;
  const bool lowered = before && before->spec.policy.minimum > after.spec.policy.minimum;
  state_.queue.group_changed(id, lowered ? GroupNews::lower_minimum : GroupNews::other, now);
}

void ObservationHandler::group_vanished(GroupId group, const model::ObjectMeta& meta, Instant now) {
  const bool composite = state_.groups[group].composite;
  if (!composite) note_class(group, {});
  state_.groups.remove_object(group);
  if (!composite) state_.cluster.devices().groups().remove(meta.ns, meta.name);
  listeners_.status.forget(group);
  listeners_.intents.forget(group);
  state_.cluster.raise_observed_version();
  state_.queue.group_changed(group, GroupNews::other, now);
  forget_if_gone(group);
}

void ObservationHandler::note_class(GroupId id, const ClassWords& words) {
  const Group& group = state_.groups[id];
  if (!state_.cluster.set_group_class(group.ns, group.name, words)) return;
  for (const auto* pods : {&group.pending, &group.assumed, &group.assigned, &group.leaving}) {
    for (const PodId pod : *pods) state_.cluster.reclassify(pod);
  }
}

void ObservationHandler::observe_other(const Observation& observation, Instant now) {
  const auto kinds = event_of(observation.object->kind);
  if (!kinds) return;
  if (observation.type == Observation::Type::deleted) {
    state_.cluster.remove_object(model::key_of(*observation.object));
  } else {
    state_.cluster.set_object(observation.object);
  }
  listeners_.binding.poke();
  wake({.kinds = *kinds, .node = {}, .pod = nullptr, .object = observation.object.get()},
       wakes_of(observation), now);
  if (observation.object->kind == model::Kind::resource_claim)
    listeners_.eviction.note_devices_back(observation, now);
}

void ObservationHandler::wake(const ClusterEvent& event, Wakes wakes, Instant now) {
  if (wakes == Wakes::yes) state_.queue.wake(event, now);
}

}  // namespace tutti::core
