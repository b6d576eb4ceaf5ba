#include "core/queue/queue.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/check.h"
#include "core/evaluation/counting.h"
#include "core/framework/reason_text.h"
#include "core/queue/group_cache.h"

namespace tutti::core {
namespace {

// A parked pod is tried again after this long even if no event spoke for it.
constexpr Millis kParkedLimit = std::chrono::minutes(5);

// Woken for a reason: no version of the cluster counts as tried.
constexpr std::uint64_t kNeverTried = 0;

QueueRank queue_rank(const Entity& entity) {
  return {entity.priority, entity.queued_at, entity.name};
}

// Large groups, whose attempts cost more, come around less often.
Millis scaled(Millis pause, const Entity& entity) {
  const double scale =
      std::sqrt(static_cast<double>(std::max<std::size_t>(1, entity.members.size())));
  return Millis(static_cast<Millis::rep>(static_cast<double>(pause.count()) * scale));
}

// Whether one of the events may help; anything may help one that no plugin in particular rejected.
bool awaits(const Entity& entity, EventKind news) {
  return entity.rejected_by.empty() ||
         std::ranges::any_of(entity.rejected_by,
                             [&](const Plugin* plugin) { return has(plugin->wakes_on(), news); });
}

}  // namespace

std::string entity_text(const GroupTable& groups, const Entity& entity) {
  // Pods that stand for those of a request; see core/broker/phantoms.h.
  if (entity.name.ends_with('#')) {
    return "Workload " + entity.name.substr(0, entity.name.size() - 1);
  }
  if (entity.lone()) return "Pod " + entity.name;
  return (groups[entity.root].composite ? "CompositePodGroup " : "PodGroup ") + entity.name;
}

bool Queue::Before::operator()(const Entity* a, const Entity* b) const {
  if (a->repairing != b->repairing) return a->repairing;
  const QueueSortPlugin& sort = *a->profile->queue_sort;
  if (sort.before(queue_rank(*a), queue_rank(*b))) return true;
  if (sort.before(queue_rank(*b), queue_rank(*a))) return false;
  if (a->name != b->name) return a->name < b->name;
  // Only a pod, a group and a composite share a name, in this order; or a pod that was replaced and
  // its successor, until the first is seen to be gone.
  const auto last = [](const Entity& entity) {
    return std::tuple(!entity.lone(), entity.composite, entity.root, entity.pod);
  };
  return last(*a) < last(*b);
}

Queue::Queue(const Cluster& cluster, const GroupTable& groups, Millis initial_backoff,
             Millis max_backoff, ProfileOf profile_of)
    : cluster_(cluster),
      groups_(groups),
      initial_backoff_(initial_backoff),
      max_backoff_(max_backoff),
      profile_of_(std::move(profile_of)),
      label_kinds_(cluster) {}

Queue::~Queue() = default;

void Queue::add_pod(PodId pod, GroupId group, Instant now) {
  GroupId root;
  if (group.valid()) {
    const auto found = groups_.root_of(group);
    if (!found) {
      incomplete_.try_emplace(pod, now);
      return;
    }
    root = *found;
  }
  incomplete_.erase(pod);
  Entity& entity = entity_for(pod, root, now);
  entity.members.try_emplace(pod, Member{.pod = pod, .joined = entity.attempts, .added = now});
  entity.group_cache.reset();
  entity_of_[pod] = &entity;
  enter(entity, pod, now);
}

Entity& Queue::entity_for(PodId pod, GroupId root, Instant now) {
  auto& slot = root.valid() ? by_root_[root] : lone_[pod];
  if (slot) return *slot;
  slot = std::make_unique<Entity>();
  slot->root = root;
  if (!root.valid()) slot->pod = pod;
  slot->composite = root.valid() && groups_[root].composite;
  slot->queued_at = now;
  slot->area = Entity::Area::in_attempt;
  const model::Pod& object = *cluster_.pod(pod).object;
  slot->profile = profile_of_(object);
  TUTTI_CHECK(slot->profile != nullptr, "a pod of another scheduler waits here");
  slot->name = root.valid() ? groups_[root].ns + "/" + groups_[root].name
                            : object.meta.ns + "/" + object.meta.name;
  slot->priority = root.valid() ? groups_[root].priority() : object.priority.value_or(0);
  return *slot;
}

// Decides where an entity with a new member belongs. An entity that is backing off stays there.
void Queue::enter(Entity& entity, PodId newcomer, Instant now) {
  switch (entity.area) {
    case Entity::Area::gated:
      if (still_gated(entity)) return;
      [[fallthrough]];  // something else may hold it now, which other events speak for
    case Entity::Area::in_attempt:
      return move(entity, all_pass(entity) ? Entity::Area::active : Entity::Area::gated, now);
    case Entity::Area::active:
    case Entity::Area::backing_off:
    case Entity::Area::parked:
      if (!passes(entity, newcomer)) move(entity, Entity::Area::gated, now);
  }
}

bool Queue::passes(Entity& entity, PodId pod) {
  const Profile* profile = profile_of_(*cluster_.pod(pod).object);
  TUTTI_CHECK(profile != nullptr, "a pod of another scheduler waits here");
  for (const auto& plugin : profile->pre_enqueue) {
    const PluginStatus verdict = plugin->pre_enqueue(cluster_, groups_, pod);
    if (verdict.success() || verdict.code == Code::skip) continue;
    entity.gated_pod = pod;
    entity.gated_by = plugin.does;
    entity.awaits_claims = has(plugin.plugin->wakes_on(), EventKind::devices);
    return false;
  }
  return true;
}

bool Queue::all_pass(Entity& entity) {
  return std::ranges::all_of(entity.members,
                             [&](const auto& member) { return passes(entity, member.first); });
}

bool Queue::still_gated(const Entity& entity) const {
  if (!entity.members.contains(entity.gated_pod)) return false;
  const PluginStatus verdict = entity.gated_by->pre_enqueue(cluster_, groups_, entity.gated_pod);
  return !verdict.success() && verdict.code != Code::skip;
}

void Queue::move(Entity& entity, Entity::Area area, Instant now) {
  take_out(entity);
  entity.area = area;
  switch (area) {
    case Entity::Area::active:
      TUTTI_CHECK(active_.insert(&entity).second, "an entity waits twice");
      break;
    case Entity::Area::backing_off:
      backing_off_.emplace(entity.ready_at, &entity);
      break;
    case Entity::Area::parked:
      entity.parked_at = now;
      entity.parked_class = class_key(entity);
      parked_[entity.parked_class].entities.insert(&entity);
      parked_since_.emplace(now, &entity);
      break;
    case Entity::Area::gated:
      if (entity.awaits_claims) awaiting_claims_.insert(&entity);
      break;
    case Entity::Area::in_attempt:
      break;
  }
}

void Queue::take_out(Entity& entity) {
  switch (entity.area) {
    case Entity::Area::active:
      active_.erase(&entity);
      break;
    case Entity::Area::backing_off:
      TUTTI_CHECK(backing_off_.erase({entity.ready_at, &entity}) == 1,
                  "it lies under another time");
      break;
    case Entity::Area::parked: {
      const auto at = parked_.find(entity.parked_class);
      TUTTI_CHECK(at != parked_.end());
      at->second.entities.erase(&entity);
      if (at->second.entities.empty() && !at->second.probing) parked_.erase(at);
      TUTTI_CHECK(parked_since_.erase({entity.parked_at, &entity}) == 1,
                  "it lies under another time");
      break;
    }
    case Entity::Area::gated:
      awaiting_claims_.erase(&entity);
      break;
    case Entity::Area::in_attempt:
      break;
  }
  entity.area = Entity::Area::in_attempt;
}

void Queue::destroy(Entity& entity) {
  take_out(entity);
  for (const auto& [pod, member] : entity.members) entity_of_.erase(pod);
  entity.lone() ? lone_.erase(entity.pod) : by_root_.erase(entity.root);
}

void Queue::remove_pod(PodId pod, Instant now) {
  incomplete_.erase(pod);
  const auto at = entity_of_.find(pod);
  if (at == entity_of_.end()) return;
  Entity& entity = *at->second;
  if (entity.members.size() == 1) {
    end_probe(entity, true, now);
    destroy(entity);
    return;
  }
  entity_of_.erase(at);
  TUTTI_CHECK(entity.members.erase(pod) == 1, "a pod leaves the entity it is in");
  entity.group_cache.reset();
  look_again(entity, GroupNews::other, now);
}

void Queue::update_pod(PodId pod, Instant now) {
  const auto at = entity_of_.find(pod);
  if (at == entity_of_.end()) return;
  Entity& entity = *at->second;
  end_probe(entity, true, now);
  take_out(entity);
  refresh_priority(entity);
  move(entity, all_pass(entity) ? Entity::Area::active : Entity::Area::gated, now);
}

void Queue::refresh_priority(Entity& entity) {
  entity.priority = entity.lone() ? cluster_.pod(entity.pod).object->priority.value_or(0)
                                  : groups_[entity.root].priority();
}

void Queue::group_changed(GroupId group, GroupNews news, Instant now) {
  if (!groups_.alive(group)) return;
  std::set<Entity*> touched;
  for (const GroupId leaf : groups_.leaves(group)) {
    for (const PodId pod : groups_[leaf].pending) rehome(pod, leaf, touched, now);
  }
  if (const auto root = groups_.root_of(group)) {
    if (const auto at = by_root_.find(*root); at != by_root_.end())
      touched.insert(at->second.get());
  }
  for (Entity* entity : touched) look_again(*entity, news, now);
}

// Puts a waiting member under the root its group has now.
void Queue::rehome(PodId pod, GroupId group, std::set<Entity*>& touched, Instant now) {
  const auto root = groups_.root_of(group);
  const auto at = entity_of_.find(pod);
  if (at == entity_of_.end()) {
    if (incomplete_.contains(pod) && root) add_pod(pod, group, now);
    return;
  }
  Entity& entity = *at->second;
  if (root && entity.root == *root) return;
  entity_of_.erase(at);
  TUTTI_CHECK(entity.members.erase(pod) == 1, "a pod leaves the entity it is in");
  entity.group_cache.reset();
  if (entity.members.empty()) {
    touched.erase(&entity);
    destroy(entity);
  } else {
    touched.insert(&entity);
  }
  add_pod(pod, group, now);
}

// Re-runs PreEnqueue after members or group objects changed.
void Queue::look_again(Entity& entity, GroupNews news, Instant now) {
  if (!entity.lone()) {
    const Entity::Area area = entity.area;
    take_out(entity);
    refresh_priority(entity);
    move(entity, area, now);
  }
  if (entity.area == Entity::Area::gated) {
    if (still_gated(entity)) return;
    move(entity, all_pass(entity) ? Entity::Area::active : Entity::Area::gated, now);
  } else if (!all_pass(entity)) {
    move(entity, Entity::Area::gated, now);
  } else if (news == GroupNews::lower_minimum && entity.area == Entity::Area::backing_off) {
    move(entity, Entity::Area::active, now);
  }
}

void Queue::look_at_gated(Instant now) {
  const auto waiting = awaiting_claims_;
  for (Entity* entity : waiting) look_again(*entity, GroupNews::other, now);
}

void Queue::wake(const ClusterEvent& event, Instant now) {
  if (has(event.kinds, EventKind::devices)) look_at_gated(now);
  news_ = news_ | event.kinds;
  if (event.kinds != EventKind::pod_pending && event.kinds != EventKind::pod_added) ++news_count_;
  for (auto at = parked_.begin(); at != parked_.end();) {
    const EventKind awaited = at->first.awaited;
    if (!has(awaited, event.kinds)) {
      const auto next = static_cast<EventKind>(static_cast<std::uint32_t>(awaited) + 1);
      at = parked_.lower_bound({.awaited = next, .shape = ShapeId{0}});
      continue;
    }
    ParkedClass& parked = (at++)->second;
    if (!parked.probing && worth_waking(parked, event)) wake_class(parked, now);
  }
}

bool Queue::worth_waking(const ParkedClass& parked, const ClusterEvent& event) const {
  TUTTI_CHECK(!parked.entities.empty(), "a parked class without anybody");
  const Entity& first = **parked.entities.begin();
  const model::Pod& pod = *cluster_.pod(first.pod).object;
  return std::ranges::any_of(first.rejected_by, [&](const Plugin* plugin) {
    return has(plugin->wakes_on(), event.kinds) && plugin->worth_retrying(cluster_, pod, event);
  });
}

void Queue::wake_class(ParkedClass& parked, Instant now) {
  TUTTI_CHECK(!parked.probing && !parked.entities.empty(), "a class sends one scout at a time");
  Entity& first = **parked.entities.begin();
  parked.probing = true;
  first.probing = true;
  first.tried_version = kNeverTried;
  move(first, first.ready_at <= now ? Entity::Area::active : Entity::Area::backing_off, now);
}

// The scout of a parked class came back, or went away: the next one follows if it fitted.
void Queue::end_probe(Entity& entity, bool fitted, Instant now) {
  if (!entity.probing) return;
  entity.probing = false;
  const auto at = parked_.find(entity.parked_class);
  TUTTI_CHECK(at != parked_.end());
  at->second.probing = false;
  if (!fitted) at->second.tried_version = entity.tried_version;
  if (at->second.entities.empty()) {
    parked_.erase(at);
  } else if (fitted) {
    wake_class(at->second, now);
  }
}

const Entity* Queue::first(Instant now) {
  flush(now);
  return active_.empty() ? nullptr : *active_.begin();
}

Entity* Queue::pop(Instant now) {
  flush(now);
  if (active_.empty()) return nullptr;
  Entity& entity = **active_.begin();
  TUTTI_CHECK(entity.area == Entity::Area::active && !entity.members.empty(), "somebody is tried");
  take_out(entity);
  ++entity.attempts;
  entity.tried_at = now;
  entity.tried_version = cluster_.versions().observed;
  return &entity;
}

void Queue::flush(Instant now) {
  hasten(now);
  while (!backing_off_.empty() && backing_off_.begin()->first <= now) {
    move(*backing_off_.begin()->second, Entity::Area::active, now);
  }
  while (!parked_since_.empty() && parked_since_.begin()->first + kParkedLimit <= now) {
    Entity& oldest = *parked_since_.begin()->second;
    ParkedClass& parked = parked_[oldest.parked_class];
    if (stale(parked)) {
      wake_class(parked, now);
    } else {
      // Its class keeps what it knows; only the clock starts over.
      parked_since_.erase(parked_since_.begin());
      oldest.parked_at = now;
      parked_since_.emplace(now, &oldest);
    }
  }
}

void Queue::hasten(Instant now) {
  const EventKind news = std::exchange(news_, EventKind::none);
  if (news == EventKind::none) return;
  std::vector<std::pair<Entity*, Instant>> early;
  for (const auto& [ready, entity] : backing_off_) {
    const Instant soon = entity->tried_at + pause_at_least(*entity);
    if (entity->may_hurry && soon < ready && awaits(*entity, news)) {
      early.emplace_back(entity, soon);
    }
  }
  for (const auto& [entity, soon] : early) {
    take_out(*entity);
    entity->ready_at = soon;
    move(*entity, Entity::Area::backing_off, now);
  }
}

Millis Queue::pause_at_least(const Entity& entity) const {
  constexpr std::size_t kCrowd = 100;
  const std::size_t crowds = std::max<std::size_t>(1, backing_off_.size() / kCrowd);
  return scaled(initial_backoff_, entity) * static_cast<Millis::rep>(crowds);
}

void Queue::placed(Entity& entity, const std::vector<PodId>& placed, Instant now) {
  end_probe(entity, true, now);
  for (const PodId pod : placed) {
    TUTTI_CHECK(entity.members.erase(pod) == 1, "a member is placed once");
    entity_of_.erase(pod);
  }
  entity.group_cache.reset();
  if (entity.members.empty()) return destroy(entity);
  entity.rejections = entity.errors = 0;
  entity.repairing = false;
  entity.last.reset();
  move(entity, all_pass(entity) ? Entity::Area::active : Entity::Area::gated, now);
}

bool Queue::may_wait_for_company(const Entity& entity) const {
  if (const GroupCache* known = current_roster(groups_, entity)) {
    return known->tree.facts->may_wait_for_company;
  }
  return std::ranges::any_of(entity.members, [&](const auto& member) {
    return may_open_later(cluster_.shape(cluster_.pod(member.first).shape));
  });
}

void Queue::rejected(Entity& entity, std::vector<const Plugin*> by, Instant now) {
  ++entity.rejections;
  entity.repairing = false;
  entity.ready_at = now + backoff(entity, entity.rejections);
  entity.may_hurry = true;
  entity.rejected_by = std::move(by);
  entity.needs_company = may_wait_for_company(entity);
  // Before it is parked again: other plugins may have rejected it now, which is another class.
  end_probe(entity, false, now);
  const bool park = entity.lone() && !entity.rejected_by.empty();
  move(entity, park ? Entity::Area::parked : Entity::Area::backing_off, now);
  if (park) parked_[entity.parked_class].tried_version = entity.tried_version;
}

void Queue::others_placed() {
  for (const auto& [ready, entity] : backing_off_) {
    if (entity->needs_company) entity->tried_version = kNeverTried;
  }
}

void Queue::failed(Entity& entity, Instant now) {
  end_probe(entity, false, now);
  ++entity.errors;
  entity.repairing = false;
  entity.ready_at = now + backoff(entity, entity.errors);
  entity.may_hurry = false;
  move(entity, Entity::Area::backing_off, now);
}

void Queue::return_pod(PodId pod, GroupId group, const FailedBinding& failed, Instant now) {
  add_pod(pod, group, now);
  const auto at = entity_of_.find(pod);
  if (at == entity_of_.end()) return;
  Entity& entity = *at->second;
  auto attempt = std::make_unique<Attempt>();
  attempt->at = now;
  attempt->code = Code::error;
  attempt->cause = Attempt::Cause::binding;
  attempt->message = binding_failed_text(failed.why);
  attempt->binding_failure = failed.why;
  entity.last = std::move(attempt);
  if (entity.area == Entity::Area::gated) return;
  take_out(entity);
  entity.repairing = failed.repair;
  if (failed.hopeless) entity.tried_version = cluster_.versions().observed;
  if (!failed.repair) {
    entity.errors = std::max(entity.errors, failed.failures);
    entity.ready_at = now + backoff(entity, entity.errors);
    entity.may_hurry = false;
  }
  move(entity, failed.repair ? Entity::Area::active : Entity::Area::backing_off, now);
}

void Queue::activate(GroupId root, PodId lone, Instant now) {
  Entity* entity = nullptr;
  if (root.valid()) {
    if (const auto at = by_root_.find(root); at != by_root_.end()) entity = at->second.get();
  } else if (const auto at = lone_.find(lone); at != lone_.end()) {
    entity = at->second.get();
  }
  if (entity == nullptr) return;
  const bool waits =
      entity->area == Entity::Area::backing_off || entity->area == Entity::Area::parked;
  if (waits) move(*entity, Entity::Area::active, now);
}

bool Queue::repair(GroupId root, Instant now) {
  const auto at = by_root_.find(root);
  if (at == by_root_.end() || at->second->area == Entity::Area::gated) return false;
  Entity& entity = *at->second;
  take_out(entity);
  entity.repairing = true;
  move(entity, Entity::Area::active, now);
  return true;
}

// Doubles from the initial backoff up to a cap that grows with the square root of the group's size.
Millis Queue::backoff(const Entity& entity, std::uint32_t failures) const {
  const Millis cap = scaled(max_backoff_, entity);
  const std::uint32_t doublings = std::min<std::uint32_t>(failures > 0 ? failures - 1 : 0, 20);
  return std::min(cap, initial_backoff_ * (1 << doublings));
}

ClassKey Queue::class_key(const Entity& entity) {
  const PodClass pods = cluster_.class_of(entity.pod);
  EventKind awaited = EventKind::none;
  for (const Plugin* plugin : entity.rejected_by) awaited = awaited | plugin->wakes_on();
  const bool all_labels = looks_at(entity.profile->looks, PodAspects::labels);
  return {.awaited = awaited,
          .profile = entity.profile,
          .shape = pods.shape,
          .selectors = cluster_.versions().selectors,
          .labels = all_labels ? pods.labels.index : label_kinds_.of(pods.shape, pods.labels),
          .claims = pods.claims,
          .apart = pods.apart};
}

Queue::Census Queue::census() const {
  Census census;
  census.incomplete = incomplete_.size();
  for (const auto& [pod, entity] : entity_of_) {
    switch (entity->area) {
      case Entity::Area::gated:
        ++census.gated;
        break;
      case Entity::Area::backing_off:
        ++census.backing_off;
        break;
      case Entity::Area::parked:
        ++census.parked;
        break;
      case Entity::Area::active:
      case Entity::Area::in_attempt:
        ++census.active;
        break;
    }
  }
  return census;
}

std::optional<Instant> Queue::next_wakeup() const {
  std::optional<Instant> next;
  const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  const bool look_through = news_ != EventKind::none && !backing_off_.empty();
  if (!active_.empty() || look_through) consider(Instant::min());
  if (!backing_off_.empty()) consider(backing_off_.begin()->first);
  for (const auto& [key, parked] : parked_) {
    if (!stale(parked)) continue;
    for (const Entity* entity : parked.entities) consider(entity->parked_at + kParkedLimit);
  }
  return next;
}

bool Queue::settled() const {
  const auto tried = [&](const auto& entry) { return is_current(entry.second->tried_version); };
  return active_.empty() && std::ranges::all_of(backing_off_, tried) &&
         std::ranges::none_of(parked_, [&](const auto& entry) { return stale(entry.second); });
}

void Queue::tried_against(std::uint64_t version, std::uint64_t later) {
  if (version == later) return;
  if (version != quiet_until_) quiet_since_ = version;
  quiet_until_ = later;
}

bool Queue::is_current(std::uint64_t tried) const {
  const std::uint64_t observed = cluster_.versions().observed;
  if (tried == observed) return true;
  return quiet_until_ == observed && tried != kNeverTried && tried >= quiet_since_;
}

std::vector<const Entity*> Queue::in_order() const {
  std::vector<const Entity*> waiting;
  const auto add = [&](const Entity& entity) {
    if (entity.area != Entity::Area::gated) waiting.push_back(&entity);
  };
  for (const auto& [root, entity] : by_root_) add(*entity);
  for (const auto& [pod, entity] : lone_) add(*entity);
  std::ranges::sort(waiting, Before{});
  return waiting;
}

const Entity* Queue::entity_of(PodId pod) const {
  const auto at = entity_of_.find(pod);
  return at == entity_of_.end() ? nullptr : at->second;
}

Member* Queue::member(PodId pod) {
  const auto at = entity_of_.find(pod);
  return at == entity_of_.end() ? nullptr : &at->second->members.at(pod);
}

const Entity* Queue::entity_of_root(GroupId root) const {
  const auto at = by_root_.find(root);
  return at == by_root_.end() ? nullptr : at->second.get();
}

}  // namespace tutti::core
