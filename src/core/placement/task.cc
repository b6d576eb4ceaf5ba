#include "core/placement/task.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "core/topology/domains.h"
#include "core/topology/topology_cache.h"

namespace tutti::core {
namespace {

void need(Task& task, std::size_t minimum, std::size_t present) {
  task.stands = present >= minimum;
  task.minimum = task.stands ? 1 : minimum - present;
}

std::size_t minimum_of(const Group& group) {
  TUTTI_CHECK(group.seen(), "the minimum of a group that was only named");
  return static_cast<std::size_t>(group.spec().policy.minimum);
}

// A slice of members with consecutive ranks; those that run hold its domain.
Task slice_task(const Cluster& cluster, GroupId group, const TopologyRequest& request,
                std::span<const PodId> members) {
  Task task;
  task.group = group;
  task.key = request.slice_key;
  task.of_group = false;
  for (const PodId pod : members) {
    const PodEntry& entry = cluster.pod(pod);
    const bool runs = entry.node.valid() || !entry.object->node_name.empty();
    (runs ? task.scheduled : task.members).push_back(pod);
  }
  need(task, members.size(), task.scheduled.size());
  task.worth = task.members.size();
  return task;
}

void cut_into_slices(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf,
                     const TopologyRequest& request, Task& task) {
  TUTTI_CHECK(request.slice_size > 0, "slices of nobody");
  auto members = all_members(groups, leaf);
  sort_by_rank(cluster, members);
  const std::span<const PodId> all(members);
  for (std::size_t at = 0; at < all.size(); at += request.slice_size) {
    task.children.push_back(
        slice_task(cluster, leaf.group, request,
                   all.subspan(at, std::min(request.slice_size, all.size() - at))));
  }
  task.members.clear();
  task.inner = true;
}

// Inside the group's own domain, one of another key.
Task nested(Task outer, const std::string& key) {
  Task inner = outer;
  inner.key = key;
  inner.of_group = false;
  outer.children = {std::move(inner)};
  outer.members.clear();
  outer.inner = true;
  outer.minimum = 1;
  return outer;
}

// Whether there are domains of what the leaf asks for.
bool has_levels(const Cluster& cluster, TopologyCache& topology,
                const Result<TopologyRequest>& request) {
  if (!request.ok()) return false;
  return request->none() || request->unconstrained ||
         topology.levels(cluster, *request).verdict.success();
}

}  // namespace

std::vector<PodId> members_of(const Subtree& tree) {
  std::vector<PodId> members = tree.members;
  for (const auto& child : tree.children)
    std::ranges::copy(members_of(child), std::back_inserter(members));
  return members;
}

bool Task::waits() const { return !members.empty() || std::ranges::any_of(children, &Task::waits); }

std::vector<PodId> all_members(const GroupTable& groups, const Subtree& leaf) {
  std::vector<PodId> members = leaf.members;
  if (!leaf.group.valid()) return members;
  const auto scheduled = scheduled_members(groups, leaf.group);
  members.insert(members.end(), scheduled.begin(), scheduled.end());
  return members;
}

Task make_task(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf,
               const TopologyRequest& request) {
  Task task;
  task.group = leaf.group;
  task.key = groups[leaf.group].spec().topology_key;
  task.scheduled = scheduled_members(groups, leaf.group);
  task.members = leaf.members;
  need(task, minimum_of(groups[leaf.group]), task.scheduled.size());
  if (request.slice_size > 0) cut_into_slices(cluster, groups, leaf, request, task);
  if (request.required.empty() || request.required == task.key) return task;
  if (!task.key.empty()) return nested(std::move(task), request.required);
  task.key = request.required;
  task.of_group = false;
  return task;
}

Task make_task(const Cluster& cluster, const GroupTable& groups, TopologyCache& topology,
               const Subtree& tree) {
  const Group& group = groups[tree.group];
  Task task;
  if (!group.composite) {
    const auto request = topology_request(cluster, all_members(groups, tree));
    task = make_task(cluster, groups, tree, request.ok() ? *request : TopologyRequest{});
    if (has_levels(cluster, topology, request)) return task;
    task.members.clear();
    task.children.clear();
    return task;
  }
  task.group = tree.group;
  task.key = group.spec().topology_key;
  task.scheduled = scheduled_members(groups, tree.group);
  task.inner = true;
  std::size_t standing = 0;
  for (const auto& child : tree.children) {
    task.children.push_back(make_task(cluster, groups, topology, child));
    standing += task.children.back().stands;
  }
  need(task, minimum_of(group), standing);
  return task;
}

Status check_running(const Cluster& cluster, const Task& task) {
  if (!task.key.empty()) {
    if (const auto common = common_domains(cluster, task.scheduled, task.key); !common.ok()) {
      return common.error();
    }
  }
  for (const Task& child : task.children) {
    if (auto below = check_running(cluster, child); !below.ok()) return below;
  }
  return ok_status();
}

}  // namespace tutti::core
