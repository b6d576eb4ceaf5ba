#include "core/scheduler/scheduler.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "core/preemption/reservations.h"
#include "core/queue/group_cache.h"
#include "core/scheduler/what_if.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Whether the pod is the first user of devices that were reserved for its group before. Until then
// nobody could be evicted from them.
bool takes_up_held_devices(const Cluster& cluster, const Group& group, PodId pod) {
  const devices::DeviceState& devices = cluster.devices();
  if (group.scheduled_count() > 0 || !devices.groups().has(group.ns, group.name)) return false;
  const auto is_group = [&](const model::ConsumerReference& user) {
    return user.resource == "podgroups" && user.name == group.name;
  };
  const auto claims = devices.claims_of(*cluster.pod(pod).object);
  return std::ranges::any_of(claims.settled, [&](devices::ClaimId id) {
    return std::ranges::any_of(devices.claim(id).object->reserved_for, is_group);
  });
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options, std::vector<Profile> profiles,
                     ClusterPort& port, DecisionListener* listener)
    : state_(options.config, std::move(profiles), options.sole_scheduler),
      decisions_(listener),
      intents_(state_.groups, port, options.record_intents),
      group_claims_(state_, intents_, port),
      cycle_(state_.cluster, state_.groups, options.search_budget),
      victims_(state_, group_claims_, port),
      eviction_(state_, cycle_, group_claims_, victims_, decisions_, port,
                options.cost_aware_preemption ? Eviction::Weighing::lost_work
                                              : Eviction::Weighing::nothing),
      status_(state_, eviction_.reservations(), port),
      binding_(state_, intents_, group_claims_, status_, decisions_, port),
      request_room_(state_, cycle_, eviction_),
      quota_(options.quota),
      broker_(state_, cycle_, decisions_, port, request_room_, quota_, options.config.broker),
      takeover_(state_, intents_, group_claims_, victims_, eviction_, binding_),
      handler_(state_, {.broker = broker_,
                        .intents = intents_,
                        .group_claims = group_claims_,
                        .victims = victims_,
                        .eviction = eviction_,
                        .status = status_,
                        .binding = binding_,
                        .takeover = takeover_}) {
  eviction_.respect(
      [this](const Entity& preemptor, PodId pod) { return broker_.is_off_limits(preemptor, pod); });
}

bool Scheduler::schedule_one(Instant now) {
  if (binding_.advance(now) || eviction_.act_on_time(now) || broker_.act(now)) return true;
  if (Request* request = broker_.next(); request != nullptr && goes_first(*request, now)) {
    broker_.attempt(*request, now);
    group_claims_.release(now);
    return true;
  }
  Entity* entity = state_.queue.pop(now);
  if (entity == nullptr) {
    if (broker_.write_statuses(now)) return true;
    state_.cluster.compact();
    return false;
  }
  attempt(*entity, now);
  group_claims_.release(now);
  return true;
}

bool Scheduler::goes_first(const Request& request, Instant now) {
  const Entity* entity = state_.queue.first(now);
  if (entity == nullptr) return true;
  if (entity->repairing) return false;
  return std::tuple(-request.priority, request.timestamp, std::string_view(request.name)) <
         std::tuple(-std::int64_t{entity->priority}, entity->queued_at.time_since_epoch().count(),
                    std::string_view(entity->name));
}

void Scheduler::point_to(std::span<const Broker::Seat> seats) {
  for (const Broker::Seat& seat : seats) {
    auto pod = std::make_shared<model::Pod>(*state_.cluster.pod(seat.pod).object);
    pod->status.nominated_node = state_.cluster.node_name(seat.node);
    state_.cluster.refresh_pod(seat.pod, std::move(pod));
    state_.groups.touch(state_.group_of(seat.pod));
  }
}

void Scheduler::attempt(Entity& entity, Instant now) {
  const auto seats = broker_.seats_for(entity);
  point_to(seats);
  broker_.lift(seats);
  CycleResult result = try_entity(entity, now);
  if (result.attempt.code == Code::success) {
    broker_.taken(seats);
    apply(entity, result, now);
  } else {
    broker_.put_back(seats);
    refuse(entity, result, now);
  }
}

CycleResult Scheduler::try_entity(Entity& entity, Instant now) {
  refresh(state_.cluster, state_.groups, state_.leaf_of, entity);
  Reservations::Blind blind(eviction_.reservations(), key_of(entity), entity.priority);
  CycleResult result = cycle_.run(entity, state_.leaf_of, now);
  if (result.attempt.code == Code::unschedulable && blind.past_lower()) {
    result = cycle_.run(entity, state_.leaf_of, now);
  }
  return result;
}

Decision Scheduler::placement_decision(const Entity& entity, const CycleResult& result,
                                       Instant now) const {
  Decision decision{.at = now,
                    .kind = Decision::Kind::placed,
                    .entity = entity_text(state_.groups, entity),
                    .bindings = {},
                    .message = result.attempt.placement,
                    .attempt = entity.attempts,
                    .scheduler = entity.profile->scheduler_name};
  for (const auto& [pod, node] : result.placed) {
    const auto& meta = state_.cluster.pod(pod).object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name, state_.cluster.node_name(node));
  }
  return decision;
}

bool Scheduler::enter_placed(const Entity& entity, const CycleResult& result) {
  bool new_victims = false;
  for (const auto& [pod, node] : result.placed) {
    const std::int32_t own = state_.cluster.pod(pod).object->priority.value_or(0);
    eviction_.noticed(std::min(entity.priority, own));
    const GroupId leaf = state_.group_of(pod);
    if (!leaf.valid()) continue;
    new_victims = new_victims || takes_up_held_devices(state_.cluster, state_.groups[leaf], pod);
    group_claims_.stay(leaf);
    binding_.answer_for(leaf, pod);
    state_.groups.add_pod(leaf, pod, GroupTable::Membership::assumed);
  }
  return new_victims;
}

void Scheduler::apply(Entity& entity, CycleResult& result, Instant now) {
  const bool new_victims = enter_placed(entity, result);
  eviction_.end_hold(key_of(entity), now);
  decisions_.add(placement_decision(entity, result, now));
  const Profile& profile = *entity.profile;
  for (const auto& leaf : result.leaves) status_.write_leaf(leaf, profile, now);
  if (!entity.lone()) status_.write_composites(entity.root, result.attempt, now);
  std::vector<PodId> placed;
  for (const auto& [pod, node] : result.placed) placed.push_back(pod);
  state_.queue.placed(entity, placed, now);
  state_.queue.others_placed();
  if (new_victims) {
    state_.cluster.raise_observed_version();
    state_.queue.wake({.kinds = EventKind::devices, .node = {}}, now);
  }
  for (const auto& leaf : result.leaves) binding_.declare_intent(leaf.leaf, now);
  for (const auto& [pod, node] : result.placed) binding_.start(pod, node, profile, now);
}

void Scheduler::refuse(Entity& entity, CycleResult& result, Instant now) {
  const bool error = result.attempt.code == Code::error;
  decisions_.add({.at = now,
                  .kind = error ? Decision::Kind::failed : Decision::Kind::unschedulable,
                  .entity = entity_text(state_.groups, entity),
                  .bindings = {},
                  .message = result.attempt.message,
                  .attempt = entity.attempts,
                  .scheduler = entity.profile->scheduler_name});
  // A repair that fails takes its gang back: nobody gives way for that.
  if (!error && !entity.repairing) eviction_.make_room(entity, result.attempt, now);
  if (!error) group_claims_.give_up(entity, eviction_.reservations());
  for (const auto& leaf : result.leaves) status_.write_refusal(entity, leaf, now);
  if (!entity.lone()) status_.write_composites(entity.root, result.attempt, now);
  const bool repairing = entity.repairing;
  const std::string why = result.attempt.message;
  entity.last = std::make_unique<const Attempt>(std::move(result.attempt));
  if (error) {
    state_.queue.failed(entity, now);
  } else {
    state_.queue.rejected(entity, std::move(result.rejected_by), now);
  }
  if (!repairing) return;
  for (const auto& leaf : result.leaves) {
    if (leaf.leaf.valid()) binding_.take_back(leaf.leaf, why, now);
  }
}

std::optional<Instant> Scheduler::next_wakeup() const {
  std::optional<Instant> next;
  for (const auto at : {state_.queue.next_wakeup(), binding_.next_wakeup(), eviction_.next_wakeup(),
                        broker_.next_wakeup()}) {
    if (at) next = std::min(next.value_or(*at), *at);
  }
  return next;
}

bool Scheduler::settled() {
  return binding_.settled() && eviction_.idle() && !group_claims_.next_repeated_release() &&
         state_.queue.settled() && broker_.settled();
}

WhatIf Scheduler::rehearse(Instant now) { return {state_, cycle_, eviction_, now}; }

const Attempt* Scheduler::last_attempt(PodId pod) const {
  const Entity* entity = state_.queue.entity_of(pod);
  return entity != nullptr ? entity->last.get() : nullptr;
}

const Attempt* Scheduler::last_attempt(GroupId group) const {
  const auto root = state_.groups.root_of(group);
  if (!root) return nullptr;
  const Entity* entity = state_.queue.entity_of_root(*root);
  return entity != nullptr ? entity->last.get() : nullptr;
}

}  // namespace tutti::core
