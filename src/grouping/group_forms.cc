// What groups in memory are like, and when that is shown.
#include <algorithm>

#include "controllers/dependents.h"
#include "core/binding/intent.h"
#include "grouping/memory_groups.h"

namespace tutti::grouping {
namespace {

using Type = core::Observation::Type;

bool same(const model::PodGroup& a, const model::PodGroup& b) {
  return a.spec == b.spec && a.parent == b.parent && a.conditions == b.conditions &&
         a.meta.created == b.meta.created;
}

bool same(const model::CompositePodGroup& a, const model::CompositePodGroup& b) {
  return a.spec == b.spec && a.meta.created == b.meta.created;
}

// The latest word: a carrier that was replaced may still say something older.
const model::Condition* latest(const std::map<std::string, model::Condition>& carried) {
  const auto at = std::ranges::max_element(carried, [](const auto& a, const auto& b) {
    return a.second.last_transition < b.second.last_transition;
  });
  return at != carried.end() ? &at->second : nullptr;
}

}  // namespace

void MemoryGroups::refresh(const GroupKey& key) {
  const auto at = groups_.find(key);
  if (at == groups_.end()) return;
  Group& group = at->second;
  const auto made = group.pods.empty() ? nullptr : form(key, group);
  const auto before = group.shown;
  if (before && made && same(*before, *made)) return;
  const std::string root_before = before ? before->parent : std::string();
  const std::string root_now = made ? made->parent : std::string();
  if (root_now != root_before && made) join_root(key, group, root_now);
  group.shown = made;
  if (made) {
    show_({before ? Type::modified : Type::added, made, false});
  } else if (before) {
    show_({Type::deleted, before, false});
  }
  if (group.pods.empty()) groups_.erase(at);
  if (root_now != root_before) leave_root(key, root_before);
  refresh_root({key.first, root_now});
}

// Empty while it is not known what its owner says.
std::shared_ptr<model::PodGroup> MemoryGroups::form(const GroupKey& key, const Group& group) const {
  const auto minimum = minimum_of(key, group);
  if (!minimum) return nullptr;
  auto made = std::make_shared<model::PodGroup>();
  made->api_version = model::kSchedulingV1Alpha2;
  made->meta.ns = key.first;
  made->meta.name = key.second;
  made->meta.uid = key.second;
  made->meta.created = group.created;
  made->spec.policy = {*minimum > 0, std::max(1, *minimum)};
  // The lowest: nobody is evicted for a member that it could not evict by itself.
  made->spec.priority = *group.priorities.begin();
  if (group.never_preempting > 0) made->spec.preemption_policy = model::PreemptionPolicy::never;
  if (const auto* intent = latest(group.carried)) made->conditions.push_back(*intent);
  if (!group.source) return made;
  const Owner& owner = *find(*group.source);
  made->meta.owners = {controllers::controller_reference(*owner.object)};
  made->meta.uid = owner.object->meta.uid;
  made->meta.created = owner.object->meta.created;
  if (const PlannedGroup* said = ruled(key, group)) {
    made->spec.topology_key = said->topology_key;
    if (said->under_root) made->parent = owner.ruling.root;
  }
  return made;
}

const PlannedGroup* MemoryGroups::ruled(const GroupKey& key, const Group& group) const {
  const Owner* owner = group.source ? find(*group.source) : nullptr;
  if (owner == nullptr) return nullptr;
  const auto at = std::ranges::find(owner->ruling.groups, key.second, &PlannedGroup::name);
  return at != owner->ruling.groups.end() ? &*at : nullptr;
}

// Returns how many members a gang waits for. Where pods or foreign PodGroups declare it, nobody
// says how much is done. But members that have nodes while nobody says that the gang is being bound
// are those of a gang that was whole: members missing then have ended, and are not waited for.
std::optional<std::int32_t> MemoryGroups::minimum_of(const GroupKey& key,
                                                     const Group& group) const {
  const PlannedGroup* said = ruled(key, group);
  if (group.source && said == nullptr) return std::nullopt;
  std::int32_t minimum = said != nullptr ? said->minimum : *group.own_minimums.rbegin();
  const bool declared = said == nullptr || group.source->kind->kind == "PodGroup";
  if (declared) {
    const auto* intent = latest(group.carried);
    const bool being_bound = intent != nullptr && intent->status == "True";
    const auto present = static_cast<std::int32_t>(group.pods.size());
    return group.bound > 0 && !being_bound ? std::min(minimum, present) : minimum;
  }
  if (said->job.empty()) return minimum;
  const Owner* job = find({find_owner_kind("batch/v1", "Job"), key.first, said->job});
  if (job == nullptr) return minimum;
  return std::min(minimum, std::max(1, job->ruling.pods_wanted));
}

bool MemoryGroups::has_ended(const PlannedGroup& group, const std::string& ns) const {
  if (group.job.empty()) return false;
  const Owner* job = find({find_owner_kind("batch/v1", "Job"), ns, group.job});
  return job != nullptr && job->ruling.pods_wanted == 0;
}

// --- roots ---------------------------------------------------------------------------------------

void MemoryGroups::join_root(const GroupKey& key, const Group& group, const std::string& root) {
  if (root.empty()) return;
  Root& joined = roots_[{key.first, root}];
  joined.source = *group.source;
  joined.groups.insert(key);
}

void MemoryGroups::leave_root(const GroupKey& key, const std::string& root) {
  const auto at = roots_.find({key.first, root});
  if (at == roots_.end()) return;
  at->second.groups.erase(key);
  refresh_root(at->first);
}

void MemoryGroups::refresh_root(const GroupKey& key) {
  const auto at = roots_.find(key);
  if (at == roots_.end()) return;
  Root& root = at->second;
  const bool stands = !root.groups.empty() && find(root.source) != nullptr;
  const auto made = stands ? form_root(key, root) : nullptr;
  const auto before = std::exchange(root.shown, made);
  if (!made) {
    if (root.groups.empty()) roots_.erase(at);
    if (before) show_({Type::deleted, before, false});
  } else if (!before || !same(*before, *made)) {
    show_({before ? Type::modified : Type::added, made, false});
  }
}

std::shared_ptr<model::CompositePodGroup> MemoryGroups::form_root(const GroupKey& key,
                                                                  const Root& root) const {
  const Owner& owner = *find(root.source);
  auto made = std::make_shared<model::CompositePodGroup>();
  made->api_version = model::kSchedulingV1Alpha3;
  made->meta.ns = key.first;
  made->meta.name = key.second;
  made->meta.owners = {controllers::controller_reference(*owner.object)};
  made->meta.uid = owner.object->meta.uid;
  made->meta.created = owner.object->meta.created;
  const auto coming = std::ranges::count_if(owner.ruling.groups, [&](const PlannedGroup& group) {
    return group.under_root && !has_ended(group, key.first);
  });
  const std::int32_t minimum =
      std::min(owner.ruling.root_minimum, static_cast<std::int32_t>(coming));
  made->spec.policy = {owner.ruling.root_minimum > 0, std::max(1, minimum)};
  for (const GroupKey& below : root.groups) {
    const auto& shown = groups_.at(below).shown;
    if (!shown) continue;
    const std::int32_t priority = shown->spec.priority.value_or(0);
    made->spec.priority = std::min(made->spec.priority.value_or(priority), priority);
    if (shown->spec.preemption_policy) made->spec.preemption_policy = shown->spec.preemption_policy;
  }
  return made;
}

// --- what is written of groups -------------------------------------------------------------------

std::optional<core::PodReference> MemoryGroups::carrier(const model::ObjectKey& group) {
  const auto at = groups_.find({group.ns, group.name});
  if (at == groups_.end() || at->second.pods.empty()) return std::nullopt;
  Group& found = at->second;
  if (!found.pods.contains(found.carrier)) {
    const auto open = std::ranges::find_if(
        found.carried, [](const auto& word) { return word.second.status == "True"; });
    found.carrier = open != found.carried.end() ? open->first : *found.pods.begin();
  }
  const auto& meta = members_.at(found.carrier).pod->meta;
  return core::PodReference{meta.ns, meta.name, meta.uid};
}

// --- what groups are made of ---------------------------------------------------------------------

std::optional<MemoryGroups::Source> MemoryGroups::source_of(const model::ObjectKey& group) const {
  const auto at = groups_.find({group.ns, group.name});
  if (group.kind != model::Kind::pod_group || at == groups_.end()) return std::nullopt;
  Source source{at->second.source};
  if (source.owner) source.object = find_owner(*source.owner);
  for (const std::string& uid : at->second.pods) source.pods.push_back(members_.at(uid).pod);
  std::ranges::sort(source.pods, {}, [](const PodPtr& pod) { return pod->meta.name; });
  return source;
}

model::ObjectPtr MemoryGroups::find_owner(const OwnerKey& key) const {
  const Owner* owner = find(key);
  return owner != nullptr ? owner->object : nullptr;
}

}  // namespace tutti::grouping
