// What the scheduler does for an entity that found no room: evict those whose absence lets it run,
// keep the room for it while they leave, and give it up when it comes to nothing.
#include <algorithm>

#include "core/preemption/eviction_search.h"
#include "core/queue/group_cache.h"
#include "core/scheduler/scheduler.h"
#include "core/victims/gang_ties.h"
#include "core/victims/victim_cost.h"
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

// Whether some scheduler chose the pod as a victim.
bool is_marked(const model::Pod& pod) {
  const model::Condition* why = model::find(pod.status.conditions, "DisruptionTarget");
  return why != nullptr && why->status == "True" && why->reason == kPreemptedReason;
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

// The devices of a pod that is gone come back when the cluster has tidied up its claims, and those
// of its group when the group has given them back.
bool Scheduler::comes_back(const devices::Claim& claim) const {
  const auto goes = [&](const model::ConsumerReference& user) {
    if (user.resource != "podgroups") return !cluster_.find_pod(user.uid).has_value();
    const auto leaf = groups_.find(claim.name.first, user.name, false);
    return !leaf || (vacating_.contains(*leaf) && groups_[*leaf].scheduled_count() == 0);
  };
  return claim.allocated() && std::ranges::all_of(claim.object->reserved_for, goes);
}

bool Scheduler::still_made(const Reservation& hold) const {
  const devices::DeviceState& devices = cluster_.devices();
  return !hold.victims.empty() || std::ranges::any_of(hold.claims, [&](const auto& name) {
    const auto id = devices.find_claim(name.first, name.second);
    return id.valid() && comes_back(devices.claim(id));
  });
}

void Scheduler::note_devices_that_come_back(Reservation& hold, NodeId node, Instant end) {
  for (const devices::Claim* claim : cluster_.devices().allocated_on(node.index)) {
    if (claim->object->reserved_for.empty()) continue;
    vacate_left_by_victims(*claim, hold.priority);
    if (!comes_back(*claim)) continue;
    hold.claims.push_back(claim->name);
    hold.until = std::max(hold.until, end);
  }
}

void Scheduler::make_room(const Entity& entity, Attempt& attempt, Instant now) {
  const EntityKey key = key_of(entity);
  ask_again_.erase(key);
  if (const Reservation* hold = reservations_.find(key); hold != nullptr && still_made(*hold)) {
    attempt.preemption = hold->report;
    return;
  }
  end_hold(key, now);
  if (adopt_nominations(entity, now)) return;
  if (const auto plan = ask_post_filters(entity)) return start_evicting(entity, *plan, now);
  const auto spared = grudges_.evictors_of(workload_of_entity(entity), now);
  const Preemption::Plan plan =
      preemption_.plan(entity, [&] { return cycle_.tree_of(entity, group_of_); },
                       {[this](PodId pod) { return group_of(pod); }, reservations_.condemned(),
                        spared, vacating_, now});
  attempt.preemption = plan.report;
  if (plan.report->outcome == PreemptionReport::Outcome::no_need) {
    reservations_.set(key, hold_for(entity, plan, now));
    return;
  }
  if (!plan.victims.empty()) return start_evicting(entity, plan, now);
  auto again = plan.ask_again;
  if (plan.ask_again_when_bound) again = std::min(again.value_or(kEndOfTime), now + kBindingPause);
  if (again) ask_again_[key] = *again;
}

std::string Scheduler::workload_of_entity(const Entity& entity) const {
  const PodId pod = entity.members.begin()->first;
  return workload_of(cluster_, groups_, group_of(pod), pod);
}

std::optional<Preemption::Plan> Scheduler::ask_post_filters(const Entity& entity) {
  const Profile& profile = *entity.profile;
  const auto& plugins = entity.lone() ? profile.post_filters : profile.group_post_filters;
  if (plugins.empty()) return std::nullopt;
  const std::vector<PodId> pods = members_of(cycle_.tree_of(entity, group_of_));
  for (const auto& plugin : plugins) {
    auto outcome = plugin->post_filter(cluster_, groups_, pods);
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

// Names who has to go with these: a gang that would be left below its minimum goes whole.
std::vector<PodId> Scheduler::rest_after(std::span<const PodId> gone) const {
  const std::unordered_set<PodId> going(gone.begin(), gone.end());
  std::vector<GroupId> leaves;
  for (const PodId pod : gone) leaves.push_back(group_of(pod));
  return rest_of_broken_gangs(groups_, leaves, [&](PodId pod) {
    const PodEntry& entry = cluster_.pod(pod);
    return entry.node.valid() && !entry.object->meta.deletion && !going.contains(pod) &&
           !reservations_.condemned().contains(pod);
  });
}

Reservation Scheduler::hold_for(const Entity& entity, const Preemption::Plan& plan,
                                Instant now) const {
  Reservation hold;
  hold.priority = entity.priority;
  hold.until = now + kHoldSlack;
  hold.report = plan.report;
  for (const auto& [pod, node] : plan.places) hold.places.emplace(pod, node);
  for (const PodId victim : plan.victims) {
    const model::Pod& object = *cluster_.pod(victim).object;
    if (is_stuck(object, now)) continue;
    const Instant deleted = notice_for(victim, entity, now).until;
    note_victim(hold, victim, object, gone_by(object, deleted) + kHoldSlack);
  }
  return hold;
}

void Scheduler::start_evicting(const Entity& entity, const Preemption::Plan& plan, Instant now) {
  Reservation hold = hold_for(entity, plan, now);
  if (hold.victims.empty() && !plan.victims.empty()) return;
  reservations_.set(key_of(entity), std::move(hold));
  const std::string evictor = workload_of_entity(entity);
  grudges_.forget_old(now);
  Decision decision;
  decision.at = now;
  decision.kind = Decision::Kind::preempting;
  decision.entity = entity_text(groups_, entity);
  decision.attempt = entity.attempts;
  decision.scheduler = entity.profile->scheduler_name;
  for (const PodId victim : plan.victims) {
    const PodEntry& entry = cluster_.pod(victim);
    const auto& meta = entry.object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name, cluster_.node_name(entry.node));
    grudges_.remember(workload_of(cluster_, groups_, group_of(victim), victim), evictor, now);
  }
  log(std::move(decision));
  for (const PodId victim : plan.victims) tell_victim(victim, notice_for(victim, entity, now), now);
}

void Scheduler::tell_victim(PodId victim, CheckpointNotice notice, Instant now) {
  if (notice.until <= now) return write_eviction(victim, notice);
  write_notice(victim, notice);
  notices_.give(victim, std::move(notice));
}

bool Scheduler::adopt_nominations(const Entity& entity, Instant now) {
  Reservation hold;
  hold.priority = entity.priority;
  hold.until = now;
  const GroupCache* known = current_roster(groups_, entity);
  if (known != nullptr && !known->tree.facts->nominated) return false;
  for (const auto& [pod, member] : entity.members) {
    const std::string& nominated = cluster_.pod(pod).object->status.nominated_node;
    const auto node = nominated.empty() ? std::nullopt : cluster_.find_node(nominated);
    if (!node) continue;
    hold.places.emplace(pod, *node);
    for (const PodId other : cluster_.pods_on(*node)) {
      const model::Pod& object = *cluster_.pod(other).object;
      if (!object.meta.deletion || !is_marked(object) ||
          object.priority.value_or(0) >= entity.priority)
        continue;
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

void Scheduler::pardon_marked(Instant now) {
  const auto falling = finish_falls(now);
  for (std::uint32_t slot = 0; slot < cluster_.pod_slots(); ++slot) {
    const auto& object = cluster_.pod(PodId{slot}).object;
    if (!object || object->meta.deletion || !is_marked(*object)) continue;
    if (falling.contains(PodId{slot})) continue;
    if (evicted_by_us(*object)) write_withdrawal(PodId{slot}, now);
  }
}

// A predecessor may have evicted some of a gang and not come to the others.
std::unordered_set<PodId> Scheduler::finish_falls(Instant now) {
  std::unordered_set<PodId> falling;
  for (std::uint32_t slot = 0; slot < groups_.slots(); ++slot) {
    const GroupId leaf{slot};
    if (!groups_.alive(leaf)) continue;
    const auto& leaving = groups_[leaf].leaving;
    const auto victim = std::ranges::find_if(leaving, [&](PodId pod) {
      const model::Pod& object = *cluster_.pod(pod).object;
      return is_marked(object) && evicted_by_us(object);
    });
    if (victim == leaving.end()) continue;
    const auto& object = cluster_.pod(*victim).object;
    CheckpointNotice notice;
    notice.condition = *model::find(object->status.conditions, "DisruptionTarget");
    notice.condition.last_transition = now;
    const std::string& message = notice.condition.message;
    for (const PodId pod : rest_after({&*victim, 1})) {
      if (!falling.insert(pod).second) continue;
      notice.event = {cluster_.pod(pod).object,
                      "Normal",
                      "Preempted",
                      "Preempting",
                      "Preempted with the rest of its gang",
                      message.substr(0, message.find(": "))};
      write_eviction(pod, notice);
    }
  }
  return falling;
}

void Scheduler::end_hold(const EntityKey& key, Instant now) {
  ask_again_.erase(key);
  const auto held = reservations_.drop(key);
  if (!held) return;
  withdraw_notices(key, *held, now);
  cluster_.raise_observed_version();
  for (const auto& [pod, node] : held->places) {
    if (!cluster_.node_alive(node)) continue;
    wake({.kinds = EventKind::pod_removed, .node = node, .pod = cluster_.pod(pod).object.get()},
         false, now);
  }
}

// Where some of a gang went already, the others follow: they were to go together.
void Scheduler::withdraw_notices(const EntityKey& key, const Reservation& held, Instant now) {
  const auto withdrawn = notices_.withdraw(key);
  if (withdrawn.empty()) return;
  std::unordered_set<PodId> gone = held.victims;
  for (const auto& [pod, notice] : withdrawn) gone.erase(pod);
  std::vector<GroupId> leaves;
  for (const auto& [pod, notice] : withdrawn) leaves.push_back(group_of(pod));
  const auto falling = rest_of_broken_gangs(groups_, leaves, [&](PodId pod) {
    const PodEntry& entry = cluster_.pod(pod);
    return entry.node.valid() && !entry.object->meta.deletion && !gone.contains(pod);
  });
  for (const auto& [pod, notice] : withdrawn) {
    if (std::ranges::count(falling, pod) > 0) {
      write_eviction(pod, notice);
    } else {
      write_withdrawal(pod, now);
    }
  }
}

// Whoever made the devices come back is tried before others take them.
void Scheduler::note_devices_back(const Observation& observation, Instant now) {
  const auto& claim = model::as<model::ResourceClaim>(*observation.object);
  if (claim.allocation && observation.type != Observation::Type::deleted) return;
  for (const EntityKey& key : reservations_.awaiting(claim.meta.ns, claim.meta.name)) {
    queue_.activate(key.root, key.pod, now);
  }
}

void Scheduler::forget_expectations(PodId pod, Instant now) {
  notices_.forget(pod);
  if (const auto ready = reservations_.forget_pod(pod))
    queue_.activate(ready->root, ready->pod, now);
}

void Scheduler::abandon_holds(NodeId node, Instant now) {
  for (const EntityKey& key : reservations_.on_node(node)) {
    end_hold(key, now);
    queue_.activate(key.root, key.pod, now);
  }
}

void Scheduler::note_checkpoint(PodId pod, const model::Pod& object) {
  if (notices_.empty()) return;
  const GroupId leaf = group_of(pod);
  const model::Object* group = leaf.valid() ? groups_[leaf].pod_group.get() : nullptr;
  if (const auto notice = notices_.saved(pod, checkpoint_of(object, group))) {
    write_eviction(pod, *notice);
  }
}

bool Scheduler::mind_holds(Instant now) {
  bool any = false;
  for (const auto& [pod, notice] : notices_.take_due(now)) {
    write_eviction(pod, notice);
    any = true;
  }
  if (const auto due = next_repeated_release(); due && *due <= now) {
    release_claims(now);
    any = true;
  }
  for (const EntityKey& key : reservations_.due(now)) {
    const std::map<PodId, NodeId> places = reservations_.find(key)->places;
    end_hold(key, now);
    for (const auto& [pod, node] : places) {
      const auto& object = cluster_.pod(pod).object;
      port_.patch_pod({{object->meta.ns, object->meta.name, object->meta.uid}, std::nullopt, ""});
    }
    queue_.activate(key.root, key.pod, now);
    any = true;
  }
  for (auto at = ask_again_.begin(); at != ask_again_.end();) {
    if (at->second > now) {
      ++at;
      continue;
    }
    queue_.activate(at->first.root, at->first.pod, now);
    at = ask_again_.erase(at);
    any = true;
  }
  return any;
}

}  // namespace tutti::core
