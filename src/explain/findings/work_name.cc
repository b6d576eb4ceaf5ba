#include "explain/findings/work_name.h"

#include <fmt/format.h>

namespace tutti::explain {

std::string work_name(const model::Pod& pod) {
  const std::string& group = pod.spec->scheduling_group;
  if (group.empty()) return fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
  for (const auto& owner : pod.meta.owners) {
    if (!owner.controller || owner.kind != "Job") continue;
    return fmt::format("Job {}/{}", pod.meta.ns, owner.name);
  }
  return fmt::format("PodGroup {}/{}", pod.meta.ns, group);
}

}  // namespace tutti::explain
