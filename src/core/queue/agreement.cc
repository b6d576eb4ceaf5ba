#include "core/queue/agreement.h"

#include <fmt/format.h>

#include <vector>

namespace tutti::core {
namespace {

std::string_view scheduler_of(const model::Pod& pod) {
  const std::string& name = pod.spec->scheduler_name;
  return name.empty() ? std::string_view("default-scheduler") : std::string_view(name);
}

std::string pod_name(const Cluster& cluster, PodId pod) {
  const auto& meta = cluster.pod(pod).object->meta;
  return meta.ns + "/" + meta.name;
}

std::string priority_disagreement(const Cluster& cluster, const Group& root, PodId pod) {
  if (root.pod_group && model::members_may_differ_in_priority(*root.pod_group)) return {};
  const model::Pod& object = *cluster.pod(pod).object;
  if (object.priority.value_or(0) != root.priority()) {
    return fmt::format("pod {} has priority {}, its group {}/{} has {}: they must be equal",
                       pod_name(cluster, pod), object.priority.value_or(0), root.ns, root.name,
                       root.priority());
  }
  constexpr auto kDefault = model::PreemptionPolicy::preempt_lower_priority;
  if (object.preemption_policy.value_or(kDefault) !=
      root.spec().preemption_policy.value_or(kDefault)) {
    return fmt::format("pod {} and its group {}/{} differ in preemptionPolicy",
                       pod_name(cluster, pod), root.ns, root.name);
  }
  return {};
}

}  // namespace

std::string disagreement(const Cluster& cluster, const GroupTable& groups, const Entity& entity) {
  if (entity.lone()) return {};
  std::vector<PodId> everyone;
  for (const auto& [pod, member] : entity.members) everyone.push_back(pod);
  for (const GroupId leaf : groups.leaves(entity.root)) {
    const Group& group = groups[leaf];
    everyone.insert(everyone.end(), group.assumed.begin(), group.assumed.end());
    everyone.insert(everyone.end(), group.assigned.begin(), group.assigned.end());
  }
  const model::Pod& first = *cluster.pod(everyone.front()).object;
  for (const PodId pod : everyone) {
    const model::Pod& other = *cluster.pod(pod).object;
    if (scheduler_of(other) != scheduler_of(first)) {
      return fmt::format("members name different schedulers: pod {}/{} '{}', pod {}/{} '{}'",
                         first.meta.ns, first.meta.name, scheduler_of(first), other.meta.ns,
                         other.meta.name, scheduler_of(other));
    }
    if (auto problem = priority_disagreement(cluster, groups[entity.root], pod); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace tutti::core
