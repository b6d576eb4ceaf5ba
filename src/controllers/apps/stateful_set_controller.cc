#include "controllers/apps/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "controllers/labels.h"
#include "controllers/pod_stamp.h"

namespace tutti::controllers {
namespace {

using model::StatefulSet;

std::string pod_name(const StatefulSet& set, std::int32_t ordinal) {
  return fmt::format("{}-{}", set.meta.name, ordinal);
}

}  // namespace

void StatefulSetController::keep(const StatefulSet& set) {
  remove_surplus(set);
  create_missing(set);
  const auto pods = active_pods_of(set, cluster());
  write_status(set, {static_cast<std::int32_t>(pods.size()),
                     static_cast<std::int32_t>(std::ranges::count_if(
                         pods, [](const PodPtr& pod) { return is_ready(*pod); }))});
}

// A pod keeps its name until it is gone, and so the place of its successor.
void StatefulSetController::create_missing(const StatefulSet& set) {
  const PodStamp stamp(set, set.pods);
  for (std::int32_t i = 0; i < set.replicas.value_or(1); ++i) {
    const std::int32_t ordinal = set.first_ordinal + i;
    const std::string name = pod_name(set, ordinal);
    const auto present = objects().find<model::Pod>(set.meta.ns, name);
    if (!present) {
      const auto pod = stamp.make(name, name);
      set_label(pod->meta.labels, "apps.kubernetes.io/pod-index", fmt::to_string(ordinal));
      set_label(pod->meta.labels, "statefulset.kubernetes.io/pod-name", name);
      if (!create(set, *pod)) return;
    } else if (present->terminal()) {
      cluster().remove(model::key_of(*present));
    }
    if (!set.parallel && !(present && is_active(*present) && is_ready(*present))) return;
  }
}

void StatefulSetController::remove_surplus(const StatefulSet& set) {
  std::set<std::string> wanted;
  for (std::int32_t i = 0; i < set.replicas.value_or(1); ++i) {
    wanted.insert(pod_name(set, set.first_ordinal + i));
  }
  for (const auto& pod : active_pods_of(set, cluster())) {
    if (!wanted.contains(pod->meta.name)) cluster().remove(model::key_of(*pod));
  }
}

}  // namespace tutti::controllers
