#include "controllers/apps/replica_set_controller.h"

#include <algorithm>

#include "controllers/names.h"
#include "controllers/pod_stamp.h"
#include "expr/label_selector.h"

namespace tutti::controllers {

using model::ReplicaSet;

void ReplicaSetController::keep(const ReplicaSet& set) {
  // Only a set that has made no pod yet may find some that were there before it.
  if (!pods_made_.contains(set.meta.uid)) adopt_pods(set);
  auto pods = active_pods_of(set, cluster());
  const auto wanted = static_cast<std::size_t>(set.replicas.value_or(1));
  if (pods.size() < wanted) {
    create_pods(set, wanted - pods.size());
    pods = active_pods_of(set, cluster());
  } else if (pods.size() > wanted) {
    sort_by_least_missed(pods);
    const std::size_t surplus = pods.size() - wanted;
    for (std::size_t i = 0; i < surplus; ++i) cluster().remove(model::key_of(*pods[i]));
    pods.erase(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(surplus));
  }
  write_status(set, {static_cast<std::int32_t>(pods.size()),
                     static_cast<std::int32_t>(std::ranges::count_if(
                         pods, [](const PodPtr& pod) { return is_ready(*pod); }))});
}

// Pods that match and that nobody controls.
void ReplicaSetController::adopt_pods(const ReplicaSet& set) {
  pods_made_.try_emplace(set.meta.uid, 0);
  const auto is_stray = [&](const model::Object& pod) {
    return controller_of(pod.meta) == nullptr && expr::matches(*set.selector, pod.meta.labels) &&
           is_active(model::as<model::Pod>(pod));
  };
  for (const auto& pod : objects().list(model::Kind::pod, set.meta.ns, is_stray)) {
    // A pod that is gone cannot be adopted.
    (void)cluster().patch_meta(model::key_of(*pod), [&](model::ObjectMeta& meta) {
      meta.owners.push_back(controller_reference(set));
    });
  }
}

void ReplicaSetController::create_pods(const ReplicaSet& set, std::size_t count) {
  const PodStamp stamp(set, set.pods);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name;
    do {
      name = generated_name(set.meta.name + "-", set.meta.uid, ++pods_made_[set.meta.uid]);
    } while (objects().find<model::Pod>(set.meta.ns, name));
    if (!create(set, *stamp.make(std::move(name)))) return;
  }
}

}  // namespace tutti::controllers
