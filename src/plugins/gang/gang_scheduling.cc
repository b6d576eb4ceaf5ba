#include "plugins/gang/gang_scheduling.h"

#include <optional>
#include <string>

#include "core/cluster/group_title.h"

namespace tutti::plugins {
namespace {

std::size_t minimum(const core::Group& group) {
  return static_cast<std::size_t>(group.spec().policy.minimum);
}

// The PodGroup the pod names, once its object was seen.
std::optional<core::GroupId> seen_group(const core::GroupTable& groups, const model::Pod& pod) {
  const auto group = groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (!group || !groups[*group].seen()) return std::nullopt;
  return group;
}

core::PluginStatus hold(std::string reason) {
  return {core::Code::unresolvable, GangScheduling::kName, std::move(reason)};
}

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

}  // namespace

core::EventKind GangScheduling::wakes_on() const {
  using enum core::EventKind;
  return pod_pending | pod_added | group;
}

// Which groups share a root is not known here; namespace and membership already rule out most
// events.
bool GangScheduling::worth_retrying(const core::Cluster&, const model::Pod& rejected,
                                    const core::ClusterEvent& event) const {
  if (event.pod != nullptr) {
    return event.pod->meta.ns == rejected.meta.ns && !event.pod->spec->scheduling_group.empty();
  }
  return event.object == nullptr || event.object->meta.ns == rejected.meta.ns;
}

core::PluginStatus GangScheduling::pre_enqueue(const core::Cluster& cluster,
                                               const core::GroupTable& groups,
                                               core::PodId id) const {
  const model::Pod& pod = *cluster.pod(id).object;
  const std::string& name = pod.spec->scheduling_group;
  if (name.empty()) return {};
  const auto group = seen_group(groups, pod);
  if (!group) return hold("waiting for PodGroup " + quoted(name) + " to appear");
  const auto root = groups.root_of(*group);
  if (!root)
    return hold("waiting for the groups above " + core::title_of(groups[*group]) + " to appear");
  if (groups.has_quorum(*root)) return {};
  if (groups[*root].composite) {
    return hold("waiting for enough groups of " + core::title_of(groups[*root]));
  }
  return hold("waiting for enough pods of " + core::title_of(groups[*root]) + ": " +
              std::to_string(groups[*root].pod_count()) + " of " +
              std::to_string(minimum(groups[*root])));
}

core::Feasibility GangScheduling::feasible(const core::Group& group, std::size_t scheduled,
                                           std::size_t remaining) const {
  if (remaining + scheduled < minimum(group)) return core::Feasibility::infeasible;
  return scheduled < minimum(group) ? core::Feasibility::undecided : core::Feasibility::feasible;
}

core::PluginStatus GangScheduling::permit(const core::Cluster& cluster,
                                          const core::GroupTable& groups, core::PodId id,
                                          core::NodeId) const {
  const model::Pod& pod = *cluster.pod(id).object;
  if (pod.spec->scheduling_group.empty()) return {};
  const auto group = seen_group(groups, pod);
  if (!group) {
    return {core::Code::unschedulable, kName,
            "PodGroup " + quoted(pod.spec->scheduling_group) + " is gone"};
  }
  if (groups[*group].scheduled_count() >= minimum(groups[*group])) return {};
  return {core::Code::wait, kName,
          "waiting for enough pods of " + core::title_of(groups[*group]) + " to be scheduled"};
}

}  // namespace tutti::plugins
