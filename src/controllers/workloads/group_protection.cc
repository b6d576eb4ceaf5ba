#include "controllers/workloads/group_protection.h"

#include <algorithm>

#include "model/group.h"
#include "model/pod.h"

namespace tutti::controllers {

void GroupProtection::observe(const store::WatchEvent& event) {
  if (event.object().kind == model::Kind::pod) {
    count(event.after, +1);
    count(event.before, -1);
  } else if (event.object().kind == model::Kind::pod_group) {
    const auto key = model::key_of(event.object());
    if (!event.after) {
      free_since_.erase(key);
    } else if (event.after->meta.deletion) {
      look_at(key);
    }
  }
}

void GroupProtection::count(const model::ObjectPtr& object, int change) {
  if (!object) return;
  const auto& pod = model::as<model::Pod>(*object);
  if (pod.spec->scheduling_group.empty() || pod.terminal()) return;
  const model::ObjectKey key{model::Kind::pod_group, pod.meta.ns, pod.spec->scheduling_group, {}};
  if ((live_pods_[key] += change) > 0) return;
  live_pods_.erase(key);
  look_at(key);
}

void GroupProtection::reconcile(const model::ObjectKey& key) {
  const auto group = objects().find<model::PodGroup>(key.ns, key.name);
  const bool free = group && group->meta.deletion && !live_pods_.contains(key);
  if (!free) {
    free_since_.erase(key);
    return;
  }
  const auto& held_by = group->meta.finalizers;
  if (std::ranges::find(held_by, kGroupProtection) == held_by.end()) return;
  const Instant since = free_since_.try_emplace(key, cluster().now()).first->second;
  if (cluster().now() < since + patience_) return look_at(key, since + patience_);
  // A group that is gone needs no protection.
  (void)cluster().patch_meta(
      key, [](model::ObjectMeta& meta) { std::erase(meta.finalizers.edit(), kGroupProtection); });
}

}  // namespace tutti::controllers
