// Which pod is where. What the groups are like is in group_forms.cc.
#include "grouping/memory_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/binding/intent.h"

namespace tutti::grouping {
namespace {

using Type = core::Observation::Type;

bool is_job(const OwnerKey& key) { return key.kind->api_group == "batch"; }

bool never_preempts(const model::Pod& pod) {
  return pod.preemption_policy == model::PreemptionPolicy::never;
}

const model::Condition* intent_of(const model::Pod& pod) {
  return model::find(pod.status.conditions, core::kBindingCondition);
}

bool same_intent(const model::Pod& a, const model::Pod& b) {
  const auto* left = intent_of(a);
  const auto* right = intent_of(b);
  return left == nullptr || right == nullptr ? left == right : *left == *right;
}

// Whether pods below could find themselves in other groups.
bool sorts_alike(const OwnerPlan& a, const OwnerPlan& b) {
  return std::ranges::equal(
      a.groups, b.groups, [](const PlannedGroup& left, const PlannedGroup& right) {
        return left.name == right.name && left.job == right.job && left.labels == right.labels;
      });
}

template <typename T>
void erase_one(std::multiset<T>& values, const T& value) {
  values.erase(values.find(value));
}

}  // namespace

MemoryGroups::MemoryGroups(Options options, Show show)
    : options_(std::move(options)), show_(std::move(show)) {}

void MemoryGroups::observe(const core::Observation& observation) {
  if (observation.object->kind == model::Kind::pod) return observe_pod(observation);
  if (const OwnerKind* kind = find_owner_kind(*observation.object)) {
    return observe_owner(*kind, observation);
  }
  show_(observation);
}

// --- pods ----------------------------------------------------------------------------------------

void MemoryGroups::observe_pod(const core::Observation& observation) {
  auto pod = std::static_pointer_cast<const model::Pod>(observation.object);
  if (observation.type == Type::deleted || pod->terminal()) return forget_pod(observation);
  const PodOwnerClues clues = clues_of(*pod);
  const bool candidate = options_.ours(*pod) &&
                         (!clues.own_group.empty() || (clues.owner && is_watched(*clues.owner)));
  if (!candidate && !members_.contains(pod->meta.uid)) return show_(observation);
  Member member{pod, candidate ? place_of(*pod, clues) : Place{}, clues.own_minimum};
  put(std::move(member), observation);
}

void MemoryGroups::forget_pod(const core::Observation& observation) {
  const std::string& uid = observation.object->meta.uid;
  const auto known = members_.find(uid);
  if (known == members_.end()) return show_(observation);
  const Member before = std::move(known->second);
  members_.erase(known);
  Member last = before;
  last.pod = std::static_pointer_cast<const model::Pod>(observation.object);
  const core::Observation shown = shown_as(last, observation.type);
  leave(uid, before);
  show_(shown);
  refresh(before.place.group);
}

MemoryGroups::Place MemoryGroups::place_of(const model::Pod& pod,
                                           const PodOwnerClues& clues) const {
  Place place;
  if (!clues.own_group.empty()) {
    place.group = {pod.meta.ns, clues.own_group};
    return place;
  }
  const auto held_by = [&](const OwnerKey& key, std::string_view more) {
    place.group = {pod.meta.ns, fmt::format("{}:{}{}", key.kind->prefix, key.name, more)};
    place.source = key;
    return place;
  };
  OwnerKey key = *clues.owner;
  place.asked.push_back(key);
  const Owner* owner = find(key);
  if (owner == nullptr) return held_by(key, "");
  // One of the same name that came before or after the pod's own.
  const bool other = !clues.owner_uid.empty() && owner->object->meta.uid != clues.owner_uid;
  if (other) return held_by(key, "/" + clues.owner_uid);
  if (is_job(key)) {
    const auto above = owner_of(owner->object->meta);
    if (above && is_watched(*above)) {
      place.asked.push_back(*above);
      owner = find(*above);
      if (owner == nullptr) return held_by(*above, "");
      key = *above;
    } else if (options_.left_alone.contains(key.kind)) {
      return place;
    }
  }
  if (const PlannedGroup* group = find_group(owner->ruling, pod, clues.owner->name)) {
    place.group = {pod.meta.ns, group->name};
    place.source = key;
  }
  return place;
}

const MemoryGroups::Owner* MemoryGroups::find(const OwnerKey& key) const {
  const auto at = owners_.find(key);
  return at != owners_.end() && at->second.object ? &at->second : nullptr;
}

void MemoryGroups::put(Member member, const core::Observation& observation) {
  const std::string& uid = member.pod->meta.uid;
  const GroupKey now = member.place.group;
  GroupKey before = now;
  bool facts_changed = true;
  const auto known = members_.find(uid);
  if (known != members_.end()) {
    const Member& old = known->second;
    before = old.place.group;
    facts_changed = before != now || !same_intent(*old.pod, *member.pod) ||
                    old.pod->node_name.empty() != member.pod->node_name.empty() ||
                    old.own_minimum != member.own_minimum;
    leave(uid, old);
  }
  enter(uid, member);
  if (facts_changed) refresh(now);
  const core::Observation shown = shown_as(member, observation.type);
  members_.insert_or_assign(uid, std::move(member));
  show_(shown);
  if (before != now) refresh(before);
}

void MemoryGroups::enter(const std::string& uid, const Member& member) {
  for (const OwnerKey& key : member.place.asked) {
    Owner& owner = owners_[key];
    owner.pods.insert(uid);
    if (!member.place.group.second.empty()) ++owner.groups[member.place.group];
  }
  if (member.place.group.second.empty()) return;
  Group& group = groups_[member.place.group];
  group.source = member.place.source;
  group.pods.insert(uid);
  note_facts(group, member, true);
}

void MemoryGroups::leave(const std::string& uid, const Member& member) {
  for (const OwnerKey& key : member.place.asked) {
    const auto at = owners_.find(key);
    Owner& owner = at->second;
    owner.pods.erase(uid);
    const auto count = owner.groups.find(member.place.group);
    if (count != owner.groups.end() && --count->second == 0) owner.groups.erase(count);
    if (owner.pods.empty() && !owner.object) owners_.erase(at);
  }
  if (member.place.group.second.empty()) return;
  Group& group = groups_.at(member.place.group);
  group.pods.erase(uid);
  note_facts(group, member, false);
}

void MemoryGroups::note_facts(Group& group, const Member& member, bool enters) {
  const model::Pod& pod = *member.pod;
  const std::int32_t priority = pod.priority.value_or(0);
  const std::size_t bound = pod.node_name.empty() ? 0 : 1;
  const std::size_t never = never_preempts(pod) ? 1 : 0;
  if (!enters) {
    erase_one(group.priorities, priority);
    erase_one(group.own_minimums, member.own_minimum);
    group.carried.erase(pod.meta.uid);
    group.bound -= bound;
    group.never_preempting -= never;
    return;
  }
  group.priorities.insert(priority);
  group.own_minimums.insert(member.own_minimum);
  if (const auto* intent = intent_of(pod)) group.carried.insert_or_assign(pod.meta.uid, *intent);
  group.bound += bound;
  group.never_preempting += never;
  const bool older = pod.meta.created && (!group.created || *pod.meta.created < *group.created);
  if (older) group.created = pod.meta.created;
}

// Pods of one template share their spec, also with the group in it.
core::Observation MemoryGroups::shown_as(const Member& member, core::Observation::Type type) {
  const GroupKey& key = member.place.group;
  if (key.second.empty()) return {type, member.pod, false};
  auto& specs = groups_.at(key).specs;
  auto known =
      std::ranges::find(specs, member.pod->spec, [](const auto& pair) { return pair.first; });
  if (known == specs.end()) {
    auto grouped = std::make_shared<model::PodSpec>(*member.pod->spec);
    grouped->scheduling_group = key.second;
    known = specs.insert(specs.end(), {member.pod->spec, std::move(grouped)});
  }
  auto pod = std::make_shared<model::Pod>(*member.pod);
  pod->spec = known->second;
  return {type, std::move(pod), false};
}

// --- owners --------------------------------------------------------------------------------------

void MemoryGroups::observe_owner(const OwnerKind& kind, const core::Observation& observation) {
  const model::ObjectPtr& object = observation.object;
  const OwnerKey key{&kind, object->meta.ns, object->meta.name};
  if (!is_watched(key)) return;
  Owner& owner = owners_[key];
  const model::ObjectPtr before = owner.object;
  const OwnerPlan ruling = std::exchange(owner.ruling, {});
  owner.object = observation.type == Type::deleted ? nullptr : object;
  if (owner.object) owner.ruling = rule(*owner.object);
  const bool moved = (before == nullptr) != (owner.object == nullptr) ||
                     (before && owner.object &&
                      (before->meta.uid != owner.object->meta.uid ||
                       owner_of(before->meta) != owner_of(owner.object->meta)));
  const bool differs = ruling != owner.ruling;
  if (moved || !sorts_alike(ruling, owner.ruling)) place_again(key);
  if (moved || differs) refresh_around(key, ruling);
  const auto at = owners_.find(key);
  if (at != owners_.end() && !at->second.object && at->second.pods.empty()) owners_.erase(at);
}

void MemoryGroups::place_again(const OwnerKey& key) {
  const std::set<std::string> pods = owners_.at(key).pods;
  for (const std::string& uid : pods) {
    Member member = members_.at(uid);
    Place place = place_of(*member.pod, clues_of(*member.pod));
    const bool stays = place.group == member.place.group && place.source == member.place.source &&
                       place.asked == member.place.asked;
    if (stays) continue;
    member.place = std::move(place);
    const core::Observation again{Type::modified, member.pod, false};
    put(std::move(member), again);
  }
}

// A Job that has ended is one less that its set waits for.
void MemoryGroups::refresh_around(const OwnerKey& key, const OwnerPlan& before) {
  const auto at = owners_.find(key);
  if (at == owners_.end()) return;
  const Owner& owner = at->second;
  std::vector<GroupKey> groups;
  for (const auto& [group, count] : owner.groups) groups.push_back(group);
  std::set<GroupKey> roots{{key.ns, before.root}, {key.ns, owner.ruling.root}};
  if (owner.object && is_job(key)) {
    const auto above = owner_of(owner.object->meta);
    const Owner* set = above ? find(*above) : nullptr;
    if (set != nullptr) roots.insert({key.ns, set->ruling.root});
  }
  for (const GroupKey& group : groups) refresh(group);
  for (const GroupKey& root : roots) refresh_root(root);
}

}  // namespace tutti::grouping
