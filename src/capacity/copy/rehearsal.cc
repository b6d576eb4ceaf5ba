#include "capacity/copy/rehearsal.h"

#include <algorithm>

namespace tutti::capacity {
namespace {

core::Subtree grow(const core::Cluster& cluster, const core::GroupTable& groups,
                   core::GroupId group) {
  core::Subtree tree{group, {}, {}};
  for (const core::GroupId child : groups[group].children) {
    tree.children.push_back(grow(cluster, groups, child));
  }
  tree.members.assign(groups[group].pending.begin(), groups[group].pending.end());
  std::ranges::sort(tree.members, {}, [&](core::PodId pod) -> const std::string& {
    return cluster.pod(pod).object->meta.name;
  });
  return tree;
}

}  // namespace

core::Subtree tree_of(const ClusterCopy& twin, const Waiting& waiting) {
  if (!waiting.root.valid()) return {{}, {twin.pod(waiting.pod)}, {}};
  return grow(twin.cluster(), twin.groups(), twin.group(waiting.root));
}

const core::Profile& profile_of(const ClusterCopy& twin, const Waiting& waiting) {
  const core::PodId pod = twin.pod(waiting.pod);
  return twin.profile(twin.cluster().pod(pod).object->spec->scheduler_name);
}

core::Entity entity_of(const ClusterCopy& twin, const Waiting& waiting, std::int32_t priority) {
  core::Entity entity;
  if (waiting.root.valid()) {
    entity.root = twin.group(waiting.root);
  } else {
    entity.pod = twin.pod(waiting.pod);
  }
  entity.name = waiting.name;
  entity.profile = &profile_of(twin, waiting);
  entity.priority = priority;
  for (const core::PodId pod : members_of(tree_of(twin, waiting))) {
    entity.members[pod] = {.pod = pod, .joined = 0, .added = {}};
  }
  return entity;
}

bool lacks_room(const Waiting& waiting) {
  using explain::Blocker;
  if (!waiting.pod.valid()) return false;  // its queue has a say in it, too
  switch (waiting.verdict.blocker) {
    case Blocker::capacity:
    case Blocker::fragmentation:
    case Blocker::topology:
    case Blocker::devices:
    case Blocker::priority:
      return waiting.verdict.state == explain::State::waiting;
    default:
      return false;
  }
}

}  // namespace tutti::capacity
