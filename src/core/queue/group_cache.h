// GroupCache: a waiting PodGroup as the last attempt found it, kept with its entity. Gangs wait far
// more often than they change; a new attempt at one that did not change looks at no single member.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/plugin_status.h"
#include "core/placement/member_facts.h"
#include "core/placement/task.h"
#include "core/queue/queue.h"

namespace tutti::core {

struct GroupCache {
  std::uint64_t revision = 0;  // of the group, when it was drawn up
  Subtree tree;                // with facts
  std::string disagreement;    // see agreement.h
  // The condition that all members have been given, when it is one and nobody is expected on a
  // node.
  struct Told {
    Code code = Code::unschedulable;
    std::string message;
    bool operator==(const Told&) const = default;
  };
  std::optional<Told> told;
};

// The entity's roster if it has one and nothing has changed since; null otherwise.
GroupCache* current_roster(const GroupTable& groups, const Entity& entity);

// The entity's groups with its waiting members, in the order they are tried. `leaf_of` names the
// PodGroup of every member.
Subtree grow_tree(const Cluster& cluster, const GroupTable& groups, const Entity& entity,
                  const std::unordered_map<PodId, GroupId>& leaf_of);

// Gives the entity a roster if it is a single PodGroup and has no current one.
void refresh(const Cluster& cluster, const GroupTable& groups,
             const std::unordered_map<PodId, GroupId>& leaf_of, Entity& entity);

// Whether the entity's roster, if it has a current one, is what drawing it up anew would give.
bool group_cache_holds(const Cluster& cluster, const GroupTable& groups,
                       const std::unordered_map<PodId, GroupId>& leaf_of, const Entity& entity);

}  // namespace tutti::core
