#include "explain/findings/work_name.h"

#include <fmt/format.h>

#include "core/cluster/group_title.h"

namespace tutti::explain {

std::string work_name(const core::GroupTable* groups, const model::Pod& pod) {
  const std::string& name = pod.spec->scheduling_group;
  if (name.empty()) return fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
  const auto group =
      groups != nullptr ? groups->find(pod.meta.ns, name, false) : std::optional<core::GroupId>();
  return group ? core::title_of((*groups)[*group]) : core::title_of(pod.meta.ns, name, nullptr);
}

}  // namespace tutti::explain
