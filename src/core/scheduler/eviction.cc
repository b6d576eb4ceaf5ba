#include "core/scheduler/eviction.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/preemption/eviction_search.h"
#include "core/queue/group_cache.h"
#include "core/scheduler/eviction_mark.h"
#include "core/victims/gang_ties.h"
#include "core/victims/victims.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Beyond the longest grace period of the victims.
constexpr Millis kHoldSlack = std::chrono::seconds(60);
constexpr std::chrono::seconds kDefaultGrace(30);
// Pods that are being bound become candidates when the cluster confirms them.
constexpr Millis kBindingPause = std::chrono::seconds(1);

Instant gone_by(const model::Pod& pod, Instant now) {
  if (pod.meta.deletion) return *pod.meta.deletion;
  const auto grace = pod.spec->termination_grace_seconds;
  return later(now, grace ? std::chrono::seconds(*grace) : kDefaultGrace);
}

void note_victim(Reservation& hold, PodId victim, const model::Pod& pod, Instant end) {
  hold.victims.insert(victim);
  hold.until = std::max(hold.until, end);
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name != nullptr) hold.claims.emplace_back(pod.meta.ns, *name);
  }
  const std::string& extended = pod.status.extended_claim.claim_name;
  if (!extended.empty()) hold.claims.emplace_back(pod.meta.ns, extended);
}

}  // namespace

Eviction::Eviction(SchedulerState& state, Cycle& cycle, GroupClaims& group_claims,
                   VictimWriter& victims, DecisionLog& decisions, ClusterPort& port,
                   Weighing weighing)
    : state_(state),
      cycle_(cycle),
      group_claims_(group_claims),
      victims_(victims),
      decisions_(decisions),
      port_(port),
      preemption_(state.cluster, state.groups, cycle.evaluations(), cycle.search_budget(),
                  weighing == Weighing::lost_work),
      reservations_(state.cluster) {}

bool Eviction::still_made(const Reservation& hold) const {
  const devices::DeviceState& devices = state_.cluster.devices();
  return !hold.victims.empty() || std::ranges::any_of(hold.claims, [&](const auto& name) {
    const auto id = devices.find_claim(name.first, name.second);
    return id.valid() && group_claims_.comes_back(devices.claim(id));
  });
}

void Eviction::note_devices_that_come_back(Reservation& hold, NodeId node, Instant end) {
  for (const devices::Claim* claim :
       state_.cluster.devices().questions().allocated_on(node.index)) {
    if (claim->object->reserved_for.empty()) continue;
    group_claims_.vacate_left_by_victims(*claim, hold.priority);
    if (!group_claims_.comes_back(*claim)) continue;
    hold.claims.push_back(claim->name);
    hold.until = std::max(hold.until, end);
  }
}

void Eviction::make_room(const Entity& entity, Attempt& attempt, Instant now) {
  const EntityKey key = key_of(entity);
  ask_again_.erase(key);
  if (const Reservation* hold = reservations_.find(key); hold != nullptr && still_made(*hold)) {
    attempt.preemption = hold->report;
    return;
  }
  end_hold(key, now);
  if (adopt_nominations(entity, now)) return;
  if (const auto asked = ask_post_filters(entity)) return start(entity, *asked, now);
  const Preemption::Plan found = plan(entity, now);
  attempt.preemption = found.report;
  if (found.report->outcome == PreemptionReport::Outcome::no_need) {
    reservations_.set(key, hold_for(entity, found, now));
    return;
  }
  if (!found.victims.empty()) return start(entity, found, now);
  auto again = found.ask_again;
  if (found.ask_again_when_bound) again = std::min(again.value_or(kEndOfTime), now + kBindingPause);
  if (again) ask_again_[key] = *again;
}

Preemption::Plan Eviction::plan(const Entity& entity, Instant now) {
  const auto spared = history_.evictors_of(workload_of_entity(entity), now);
  return preemption_.plan(entity, [&] { return cycle_.tree_of(entity, state_.leaf_of); },
                          {.group_of = [this](PodId pod) { return state_.group_of(pod); },
                           .condemned = reservations_.condemned(),
                           .spared = spared,
                           .vacating = group_claims_.vacating(),
                           .now = now,
                           .off_limits = off_limits_to(entity),
                           .leaves_for_anyone = leaves_for_anyone_});
}

std::function<bool(PodId)> Eviction::off_limits_to(const Entity& entity) const {
  if (!off_limits_) return {};
  return [this, &entity](PodId pod) { return off_limits_(entity, pod); };
}

Preemption::Plan Eviction::rehearse(const Entity& entity, Account account,
                                    const PreemptionReport* under_way, Instant now) {
  const auto spared = history_.evictors_of(workload_of_entity(entity), now);
  const Reservations::Blind blind(reservations_, key_of(entity), entity.priority,
                                  Reservations::Blind::Past::lower);
  return preemption_.plan(entity, [&] { return cycle_.tree_of(entity, state_.leaf_of); },
                          {.group_of = [this](PodId pod) { return state_.group_of(pod); },
                           .condemned = reservations_.condemned(),
                           .spared = spared,
                           .vacating = group_claims_.vacating(),
                           .now = now,
                           .rehearsed = true,
                           .thorough = account == Account::everyone,
                           .under_way = under_way,
                           .off_limits = off_limits_to(entity),
                           .leaves_for_anyone = leaves_for_anyone_});
}

std::string Eviction::workload_of_entity(const Entity& entity) const {
  const PodId pod = entity.members.begin()->first;
  return workload_of(state_.cluster, state_.groups, state_.group_of(pod), pod);
}

std::optional<Preemption::Plan> Eviction::ask_post_filters(const Entity& entity) const {
  const Profile& profile = *entity.profile;
  const auto& plugins = entity.lone() ? profile.post_filters : profile.group_post_filters;
  if (plugins.empty()) return std::nullopt;
  const std::vector<PodId> pods = members_of(cycle_.tree_of(entity, state_.leaf_of));
  for (const auto& plugin : plugins) {
    auto outcome = plugin->post_filter(state_.cluster, state_.groups, pods);
    if (!outcome.verdict.success()) continue;
    Preemption::Plan plan;
    plan.victims = std::move(outcome.victims);
    const auto rest = rest_after(plan.victims);
    plan.victims.insert(plan.victims.end(), rest.begin(), rest.end());
    for (const auto& [pod, node] : outcome.nominations) plan.places.push_back({pod, node});
    return plan;
  }
  return std::nullopt;
}

std::vector<PodId> Eviction::rest_after(std::span<const PodId> gone) const {
  const std::unordered_set<PodId> going(gone.begin(), gone.end());
  std::vector<GroupId> leaves;
  for (const PodId pod : gone) leaves.push_back(state_.group_of(pod));
  return rest_of_broken_gangs(state_.groups, leaves, [&](PodId pod) {
    const PodEntry& entry = state_.cluster.pod(pod);
    return entry.node.valid() && !entry.object->meta.deletion && !going.contains(pod) &&
           !reservations_.condemned().contains(pod);
  });
}

Reservation Eviction::hold_for(const Entity& entity, const Preemption::Plan& plan,
                               Instant now) const {
  Reservation hold;
  hold.priority = entity.priority;
  hold.until = now + kHoldSlack;
  hold.report = plan.report;
  for (const auto& [pod, node] : plan.places) hold.places.emplace(pod, node);
  for (const PodId victim : plan.victims) {
    const model::Pod& object = *state_.cluster.pod(victim).object;
    if (is_stuck(object, now)) continue;
    const Instant deleted = victims_.notice_for(victim, entity, now).until;
    note_victim(hold, victim, object, gone_by(object, deleted) + kHoldSlack);
  }
  return hold;
}

void Eviction::start(const Entity& entity, const Preemption::Plan& plan, Instant now) {
  Reservation hold = hold_for(entity, plan, now);
  if (hold.victims.empty() && !plan.victims.empty()) return;
  reservations_.set(key_of(entity), std::move(hold));
  const std::string evictor = workload_of_entity(entity);
  history_.forget_old(now);
  Decision decision{.at = now,
                    .kind = Decision::Kind::preempting,
                    .entity = entity_text(state_.groups, entity),
                    .bindings = {},
                    .message = {},
                    .attempt = entity.attempts,
                    .scheduler = entity.profile->scheduler_name};
  for (const PodId victim : plan.victims) {
    const PodEntry& entry = state_.cluster.pod(victim);
    const auto& meta = entry.object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name, state_.cluster.node_name(entry.node));
    history_.remember(workload_of(state_.cluster, state_.groups, state_.group_of(victim), victim),
                      evictor, now);
  }
  decisions_.add(decision);
  for (const PodId victim : plan.victims) {
    victims_.tell(victim, victims_.notice_for(victim, entity, now), now);
  }
}

bool Eviction::adopt_nominations(const Entity& entity, Instant now) {
  Reservation hold;
  hold.priority = entity.priority;
  hold.until = now;
  const GroupCache* known = current_roster(state_.groups, entity);
  if (known != nullptr && !known->tree.facts->nominated) return false;
  for (const auto& [pod, member] : entity.members) {
    const std::string& nominated = state_.cluster.pod(pod).object->status.nominated_node;
    const auto node = nominated.empty() ? std::nullopt : state_.cluster.nodes().find(nominated);
    if (!node) continue;
    hold.places.emplace(pod, *node);
    for (const PodId other : state_.cluster.pods().on(*node)) {
      const model::Pod& object = *state_.cluster.pod(other).object;
      if (!object.meta.deletion || !is_victim(object) ||
          object.priority.value_or(0) >= entity.priority) {
        continue;
      }
      const Instant end = gone_by(object, now) + kHoldSlack;
      if (end > now) note_victim(hold, other, object, end);
    }
    // Later than at its first attempt we know what we wait for, and for how long.
    if (entity.attempts <= 1) note_devices_that_come_back(hold, *node, now + kHoldSlack);
  }
  if (!still_made(hold)) return false;
  reservations_.set(key_of(entity), std::move(hold));
  return true;
}

void Eviction::end_hold(const EntityKey& key, Instant now) {
  ask_again_.erase(key);
  const auto held = reservations_.drop(key);
  if (!held) return;
  victims_.withdraw(key, *held, now);
  state_.cluster.raise_observed_version();
  for (const auto& [pod, node] : held->places) {
    if (!state_.cluster.nodes().alive(node)) continue;
    state_.queue.wake({.kinds = EventKind::pod_removed,
                       .node = node,
                       .pod = state_.cluster.pod(pod).object.get()},
                      now);
  }
}

void Eviction::note_devices_back(const Observation& observation, Instant now) {
  const auto& claim = model::as<model::ResourceClaim>(*observation.object);
  if (claim.allocation && observation.type != Observation::Type::deleted) return;
  for (const EntityKey& key : reservations_.awaiting(claim.meta.ns, claim.meta.name)) {
    state_.queue.activate(key.root, key.pod, now);
  }
}

void Eviction::forget(PodId pod, Instant now) {
  victims_.forget(pod);
  if (const auto ready = reservations_.forget_pod(pod)) {
    state_.queue.activate(ready->root, ready->pod, now);
  }
}

void Eviction::abandon(NodeId node, Instant now) {
  for (const EntityKey& key : reservations_.on_node(node)) {
    end_hold(key, now);
    state_.queue.activate(key.root, key.pod, now);
  }
}

bool Eviction::act_on_time(Instant now) {
  bool any = victims_.evict_due(now);
  if (const auto due = group_claims_.next_repeated_release(); due && *due <= now) {
    group_claims_.release(now);
    any = true;
  }
  any = end_due_holds(now) || any;
  return wake_those_who_asked(now) || any;
}

bool Eviction::end_due_holds(Instant now) {
  const auto due = reservations_.due(now);
  for (const EntityKey& key : due) {
    const std::map<PodId, NodeId> places = reservations_.find(key)->places;
    end_hold(key, now);
    for (const auto& [pod, node] : places) {
      const auto& meta = state_.cluster.pod(pod).object->meta;
      port_.patch_pod({.pod = {.ns = meta.ns, .name = meta.name, .uid = meta.uid},
                       .condition = std::nullopt,
                       .nominated_node = ""});
    }
    state_.queue.activate(key.root, key.pod, now);
  }
  return !due.empty();
}

bool Eviction::wake_those_who_asked(Instant now) {
  bool any = false;
  for (auto at = ask_again_.begin(); at != ask_again_.end();) {
    if (at->second > now) {
      ++at;
      continue;
    }
    state_.queue.activate(at->first.root, at->first.pod, now);
    at = ask_again_.erase(at);
    any = true;
  }
  return any;
}

std::optional<Instant> Eviction::next_wakeup() const {
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at) next = std::min(next.value_or(*at), *at);
  };
  consider(reservations_.next_deadline());
  consider(victims_.next_deadline());
  consider(group_claims_.next_repeated_release());
  for (const auto& [key, at] : ask_again_) consider(at);
  return next;
}

}  // namespace tutti::core
