// Attempts and questions. Observation is in scheduler_observe.cc, what is written back in
// scheduler_status.cc, the
// fate of bindings in scheduler_binding.cc.
#include "core/scheduler/scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/placement/fit_message.h"
#include "core/queue/group_cache.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Whether the time that PreBind may take was up.
bool gave_up(const BindingFailure& failure, Instant now) {
  const Binding& binding = failure.binding;
  return binding.stage == Binding::Stage::pre_bind &&
         std::ranges::any_of(binding.profile->pre_bind, [&](const auto& plugin) {
           return now >= binding.since + plugin->timeout();
         });
}

// Whether the pod is the first user of devices that were reserved for its group before. Until then
// nobody could be evicted from them.
bool takes_up_held_devices(const Cluster& cluster, const Group& group, PodId pod) {
  const devices::DeviceState& devices = cluster.devices();
  if (group.scheduled_count() > 0 || !devices.has_group(group.ns, group.name)) return false;
  const auto is_group = [&](const model::ConsumerReference& user) {
    return user.resource == "podgroups" && user.name == group.name;
  };
  const auto claims = devices.claims_of(*cluster.pod(pod).object);
  return std::ranges::any_of(claims.settled, [&](devices::ClaimId id) {
    return std::ranges::any_of(devices.claim(id).object->reserved_for, is_group);
  });
}

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, std::vector<Profile> profiles, ClusterPort& port,
                     DecisionListener* listener)
    : options_(std::move(options)),
      profiles_(std::move(profiles)),
      port_(port),
      listener_(listener),
      queue_(cluster_, groups_, options_.config.initial_backoff, options_.config.max_backoff,
             [this](const model::Pod& pod) { return profile_for(pod); }),
      binder_(cluster_, groups_, port_),
      cycle_(cluster_, groups_, options_.search_budget),
      preemption_(cluster_, groups_, cycle_.evaluations(), options_.search_budget,
                  options_.cost_aware_preemption),
      reservations_(cluster_) {
  TUTTI_CHECK(!profiles_.empty());
  cluster_.look_at(aspects_of(profiles_));
}

const Profile* Scheduler::profile_for(const model::Pod& pod) const {
  const std::string& wanted = pod.spec->scheduler_name;
  for (const auto& profile : profiles_) {
    if (profile.scheduler_name == wanted) return &profile;
  }
  const bool unnamed = wanted.empty() || wanted == "default-scheduler";
  if (!unnamed) return nullptr;
  if (options_.sole_scheduler) return &profiles_.front();
  const auto standard = std::ranges::find(profiles_, "default-scheduler", &Profile::scheduler_name);
  return standard != profiles_.end() ? &*standard : nullptr;
}

std::string Scheduler::plugin_failure() const {
  for (const auto& profile : profiles_) {
    for (const auto& plugin : profile.plugins) {
      const std::string failure = plugin->failure();
      if (!failure.empty()) return fmt::format("plugin {} failed: {}", plugin->name(), failure);
    }
  }
  return {};
}

bool Scheduler::schedule_one(Instant now) {
  if (const auto due = binder_.next_wakeup(); due && *due <= now) {
    const auto failures = binder_.advance(now);
    // None of them is on its way any more: a gang that is taken back for the sake of one has no
    // other of them to evict.
    for (const auto& failure : failures) {
      const auto held = bound_by_us_.find(group_of(failure.binding.pod));
      if (held != bound_by_us_.end()) held->second.erase(failure.binding.pod);
    }
    for (const auto& failure : failures) binding_failed(failure, now);
    // What was not ready in time for one member is not worth a wait of the others.
    for (const auto& failure : failures) {
      const GroupId leaf = group_of(failure.binding.pod);
      if (leaf.valid() && gave_up(failure, now)) take_back(leaf, failure.why, now);
    }
    release_claims(now);
    return true;
  }
  if (mind_holds(now)) return true;
  Entity* entity = queue_.pop(now);
  if (entity == nullptr) {
    cluster_.compact();
    return false;
  }
  attempt(*entity, now);
  release_claims(now);
  return true;
}

void Scheduler::attempt(Entity& entity, Instant now) {
  refresh(cluster_, groups_, group_of_, entity);
  Reservations::Blind blind(reservations_, key_of(entity), entity.priority);
  CycleResult result = cycle_.run(entity, group_of_, now);
  if (result.attempt.code == Code::unschedulable && blind.past_lower()) {
    result = cycle_.run(entity, group_of_, now);
  }
  if (result.attempt.code == Code::success) {
    apply(entity, result, now);
  } else {
    refuse(entity, result, now);
  }
}

void Scheduler::apply(Entity& entity, CycleResult& result, Instant now) {
  Decision decision{now, Decision::Kind::placed, entity_text(groups_, entity), {},
                    {},  entity.attempts};
  std::vector<PodId> placed;
  bool new_victims = false;
  for (const auto& [pod, node] : result.placed) {
    const auto& meta = cluster_.pod(pod).object->meta;
    decision.bindings.emplace_back(meta.ns + "/" + meta.name, cluster_.node_name(node));
    placed.push_back(pod);
    preemption_.noticed(std::min(entity.priority, cluster_.pod(pod).object->priority.value_or(0)));
    if (const GroupId leaf = group_of(pod); leaf.valid()) {
      new_victims = new_victims || takes_up_held_devices(cluster_, groups_[leaf], pod);
      stay(leaf);
      open_account(leaf, pod);
      groups_.add_pod(leaf, pod, GroupTable::Membership::assumed);
    }
  }
  end_hold(key_of(entity), now);
  decision.message = result.attempt.placement;
  decision.scheduler = entity.profile->scheduler_name;
  log(std::move(decision));
  for (const auto& leaf : result.leaves) write_leaf(leaf, *entity.profile, now);
  if (!entity.lone()) write_composites(entity.root, result.attempt, now);
  const Profile& profile = *entity.profile;
  queue_.placed(entity, placed, now);
  queue_.others_placed();
  if (new_victims) {
    cluster_.raise_observed_version();
    wake({.kinds = EventKind::devices, .node = {}}, false, now);
  }
  for (const auto& leaf : result.leaves) declare_intent(leaf.leaf, now);
  for (const auto& [pod, node] : result.placed) binder_.start(pod, node, profile, now);
}

void Scheduler::refuse(Entity& entity, CycleResult& result, Instant now) {
  const bool error = result.attempt.code == Code::error;
  log({now,
       error ? Decision::Kind::failed : Decision::Kind::unschedulable,
       entity_text(groups_, entity),
       {},
       result.attempt.message,
       entity.attempts,
       entity.profile->scheduler_name});
  // A repair that fails takes its gang back: nobody gives way for that.
  if (!error && !entity.repairing) make_room(entity, result.attempt, now);
  if (!error) give_up_group_claims(entity);
  for (const auto& leaf : result.leaves) write_refusal(entity, leaf, now);
  if (!entity.lone()) write_composites(entity.root, result.attempt, now);
  const bool repairing = entity.repairing;
  const std::string why = result.attempt.message;
  entity.last = std::make_unique<const Attempt>(std::move(result.attempt));
  error ? queue_.failed(entity, now) : queue_.rejected(entity, std::move(result.rejected_by), now);
  if (!repairing) return;
  for (const auto& leaf : result.leaves) {
    if (leaf.leaf.valid()) take_back(leaf.leaf, why, now);
  }
}

std::optional<Instant> Scheduler::next_wakeup() const {
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at) next = std::min(next.value_or(*at), *at);
  };
  consider(queue_.next_wakeup());
  consider(binder_.next_wakeup());
  consider(reservations_.next_deadline());
  consider(notices_.next_deadline());
  consider(next_repeated_release());
  for (const auto& [key, at] : ask_again_) consider(at);
  return next;
}

bool Scheduler::settled() const {
  // A wait in PreBind that was in vain before will be so again, and members that are held back for
  // its sake have no timer of their own.
  const auto in_vain = [&](PodId pod) {
    using Stage = Binding::Stage;
    const Binding* binding = binder_.find(pod);
    if (binding == nullptr) return false;
    return binding->stage == Stage::pre_bind ? bind_failures_.contains(pod)
                                             : binding->stage == Stage::permit && !binding->timer;
  };
  const auto all_in_vain = [&] {
    if (bind_failures_.empty() || binder_.next_wakeup() == Instant::min()) return false;
    for (std::uint32_t i = 0; i < cluster_.pod_slots(); ++i) {
      const PodEntry& entry = cluster_.pod({i});
      if (entry.object != nullptr && entry.assumed && !in_vain({i})) return false;
    }
    return true;
  };
  return (binder_.idle() || all_in_vain()) && reservations_.empty() && ask_again_.empty() &&
         !next_repeated_release() && queue_.settled();
}

GroupId Scheduler::group_of(PodId pod) const {
  const auto at = group_of_.find(pod);
  return at == group_of_.end() ? GroupId{} : at->second;
}

Standing Scheduler::standing(PodId pod) const {
  const PodEntry& entry = cluster_.pod(pod);
  if (!entry.object->node_name.empty()) return Standing::placed;
  if (entry.assumed) return Standing::binding;
  if (queue_.incomplete(pod)) return Standing::incomplete;
  const Entity* entity = queue_.entity_of(pod);
  if (entity == nullptr) return profile_for(*entry.object) ? Standing::unknown : Standing::foreign;
  switch (entity->area) {
    case Entity::Area::gated:
      return Standing::gated;
    case Entity::Area::backing_off:
      return Standing::backing_off;
    case Entity::Area::parked:
      return Standing::unschedulable;
    case Entity::Area::active:
    case Entity::Area::in_attempt:
      break;
  }
  return Standing::queued;
}

Standing Scheduler::standing(GroupId group) const {
  const auto leaves = groups_.leaves(group);
  for (const GroupId leaf : leaves) {
    const Group& entry = groups_[leaf];
    if (!entry.pending.empty()) return standing(*entry.pending.begin());
  }
  for (const GroupId leaf : leaves) {
    if (!groups_[leaf].assumed.empty()) return Standing::binding;
  }
  for (const GroupId leaf : leaves) {
    if (!groups_[leaf].assigned.empty()) return Standing::placed;
  }
  return Standing::unknown;
}

std::string Scheduler::held_reason(PodId pod) const {
  if (queue_.incomplete(pod)) {
    GroupId group = group_of(pod);
    for (int level = 0; level < GroupTable::kMaxDepth && groups_[group].seen(); ++level) {
      if (!groups_[group].parent.valid()) return "its groups form a cycle or are nested too deep";
      group = groups_[group].parent;
    }
    const Group& missing = groups_[group];
    return fmt::format("{} {}/{} does not exist",
                       missing.composite ? "CompositePodGroup" : "PodGroup", missing.ns,
                       missing.name);
  }
  const Entity* entity = queue_.entity_of(pod);
  if (entity == nullptr || entity->area != Entity::Area::gated) return {};
  if (!entity->members.contains(entity->gated_pod)) return {};
  return entity->gated_by->pre_enqueue(cluster_, groups_, entity->gated_pod).reason;
}

const Attempt* Scheduler::last_attempt(PodId pod) const {
  const Entity* entity = queue_.entity_of(pod);
  return entity != nullptr ? entity->last.get() : nullptr;
}

const Attempt* Scheduler::last_attempt(GroupId group) const {
  const auto root = groups_.root_of(group);
  if (!root) return nullptr;
  const Entity* entity = queue_.entity_of_root(*root);
  return entity != nullptr ? entity->last.get() : nullptr;
}

std::string Scheduler::check_consistency() const {
  if (auto problem = cluster_.check_consistency(); !problem.empty()) return problem;
  for (const auto& [pod, group] : group_of_) {
    const Group& entry = groups_[group];
    const PodEntry& placed = cluster_.pod(pod);
    const bool waiting = !placed.node.valid() && placed.object->node_name.empty();
    if (entry.pending.contains(pod) != waiting) {
      return fmt::format("pod {}: its group {} has it {}", placed.object->meta.name, entry.name,
                         waiting ? "as placed" : "as waiting");
    }
  }
  for (const Entity* entity : queue_.in_order()) {
    if (!group_cache_holds(cluster_, groups_, group_of_, *entity)) {
      return entity_text(groups_, *entity) + " has changed since its group_cache was drawn up";
    }
  }
  return {};
}

}  // namespace tutti::core
