#include "explain/hold.h"

#include <fmt/format.h>

#include "explain/demand.h"
#include "explain/text.h"

namespace tutti::explain {
namespace {

std::string describe(const core::Group& group) {
  return fmt::format("{} {}/{}", group.composite ? "CompositePodGroup" : "PodGroup", group.ns,
                     group.name);
}

std::string named_by(const core::GroupTable& groups, core::GroupId id) {
  const core::Group& group = groups[id];
  if (!group.composite) {
    const std::size_t pods = group.pod_count();
    return fmt::format("{} name{} it", counted(pods, "pod"), pods == 1 ? "s" : "");
  }
  const std::size_t children = group.children.size();
  return fmt::format("{} name{} it as parent", counted(children, "group"),
                     children == 1 ? "s" : "");
}

std::optional<Hold> missing_object(const core::GroupTable& groups, core::GroupId id) {
  for (int level = 0; level < core::GroupTable::kMaxDepth; ++level) {
    const core::Group& group = groups[id];
    if (!group.seen()) {
      return Hold{State::held,
                  Blocker::incomplete,
                  fmt::format("waits for {}, which does not exist; {}", describe(group),
                              named_by(groups, id)),
                  {},
                  {}};
    }
    if (!group.parent.valid()) return std::nullopt;
    id = group.parent;
  }
  return Hold{State::invalid,
              Blocker::bad_request,
              fmt::format("the parents of the group form a cycle or more than {} levels",
                          core::GroupTable::kMaxDepth),
              {},
              {}};
}

// Pods that name the group but belong to another scheduler, so that nobody counts them.
std::size_t foreign_members(const core::Cluster& cluster, core::GroupId id,
                            const core::GroupTable& groups) {
  const core::Group& group = groups[id];
  std::size_t foreign = 0;
  for (std::uint32_t slot = 0; slot < cluster.pod_slots(); ++slot) {
    const core::PodId pod{slot};
    const auto& object = cluster.pod(pod).object;
    if (object == nullptr || object->meta.ns != group.ns) continue;
    if (object->spec->scheduling_group != group.name || group.composite) continue;
    const bool counted =
        group.pending.contains(pod) || group.assumed.contains(pod) || group.assigned.contains(pod);
    if (!counted) ++foreign;
  }
  return foreign;
}

std::string uncounted(std::size_t foreign) {
  if (foreign == 0) return {};
  return fmt::format(" ({} of another scheduler {} not counted)", counted(foreign, "pod"),
                     foreign == 1 ? "is" : "are");
}

Hold short_of_pods(const core::Cluster& cluster, const core::GroupTable& groups,
                   core::GroupId leaf) {
  const core::Group& group = groups[leaf];
  const auto need = static_cast<std::size_t>(group.spec().policy.minimum);
  const std::size_t have = group.pod_count();
  const std::size_t more = need - have;
  return {State::held,
          Blocker::incomplete,
          fmt::format("{} of {} members of {} exist; {} more pod{} needed{}", have, need,
                      describe(group), more, more == 1 ? " is" : "s are",
                      uncounted(foreign_members(cluster, leaf, groups))),
          {{"members", fmt::format("{}", need)}},
          {{"members", fmt::format("{}", have)}}};
}

Hold short_of_children(const core::GroupTable& groups, core::GroupId id) {
  const core::Group& group = groups[id];
  std::size_t ready = 0;
  for (const core::GroupId child : group.children) ready += groups.has_quorum(child) ? 1 : 0;
  return {State::held,
          Blocker::incomplete,
          fmt::format("{} of {} child groups of {} are complete; {} exist", ready,
                      group.spec().policy.minimum, describe(group), group.children.size()),
          {{"groups", fmt::format("{}", group.spec().policy.minimum)}},
          {{"groups", fmt::format("{}", ready)}}};
}

// The lowest group whose own members are too few explains more than the one above it.
std::optional<Hold> missing_members(const core::Cluster& cluster, const core::GroupTable& groups,
                                    core::GroupId id) {
  if (groups.has_quorum(id)) return std::nullopt;
  const core::Group& group = groups[id];
  if (!group.seen()) return missing_object(groups, id);
  if (!group.composite) return short_of_pods(cluster, groups, id);
  if (group.children.size() == static_cast<std::size_t>(group.spec().policy.minimum)) {
    for (const core::GroupId child : group.children) {
      if (auto hold = missing_members(cluster, groups, child)) return hold;
    }
  }
  return short_of_children(groups, id);
}

}  // namespace

std::optional<Hold> find_hold(const core::Cluster& cluster, core::PodId id) {
  const model::Pod& pod = *cluster.pod(id).object;
  if (pod.spec->scheduling_gates.empty()) return std::nullopt;
  return Hold{State::held,
              Blocker::gated,
              fmt::format("pod {}/{} has scheduling gate {}", pod.meta.ns, pod.meta.name,
                          fmt::join(pod.spec->scheduling_gates, ", ")),
              {},
              {}};
}

std::optional<Hold> find_hold(const core::Cluster& cluster, const core::GroupTable& groups,
                              core::GroupId group) {
  if (auto hold = missing_object(groups, group)) return hold;
  const core::GroupId root = groups.root_of(group).value_or(group);
  for (const core::PodId pod : pending_pods(groups, root)) {
    if (auto hold = find_hold(cluster, pod)) return hold;
  }
  return missing_members(cluster, groups, root);
}

}  // namespace tutti::explain
