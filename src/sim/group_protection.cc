#include "sim/group_protection.h"

#include <algorithm>

#include "model/group.h"
#include "sim/admit.h"

namespace tutti::sim {

void GroupProtection::observe(const store::WatchEvent& event) {
  if (event.object().kind == model::Kind::pod) {
    count(event.after, +1);
    count(event.before, -1);
  } else if (event.object().kind == model::Kind::pod_group && event.after) {
    release_if_free({event.after->meta.ns, event.after->meta.name});
  }
}

void GroupProtection::count(const model::ObjectPtr& object, int change) {
  if (!object) return;
  const auto& pod = model::as<model::Pod>(*object);
  if (pod.spec->scheduling_group.empty() || pod.terminal()) return;
  const Name name{pod.meta.ns, pod.spec->scheduling_group};
  if ((live_pods_[name] += change) > 0) return;
  live_pods_.erase(name);
  release_if_free(name);
}

void GroupProtection::release_if_free(const Name& name) {
  const auto group = plane_.store.find<model::PodGroup>(name.first, name.second);
  if (!group || !group->meta.deletion || live_pods_.contains(name)) return;
  const auto& held_by = group->meta.finalizers;
  if (std::ranges::find(held_by, kGroupProtection) == held_by.end()) return;
  (void)plane_.store.patch(
      model::key_of(*group),
      [](model::Object& object) { std::erase(object.meta.finalizers.edit(), kGroupProtection); },
      plane_.write());
}

}  // namespace tutti::sim
