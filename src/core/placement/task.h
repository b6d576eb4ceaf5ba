// Task: what must be placed together, and in one domain of which key: the tree of groups of an
// attempt, refined by what members ask of the topology.
//
//   composite ─ children that must stand      (at least `minimum` of them)
//   pod group ─ its waiting members           (at least `minimum` of them)
//   pod group with slices ─ one child per slice (members of at least `minimum` in all)
//   slice     ─ its waiting members           (all of them)
//
// Keys nest: a task's domain lies inside its parent's. What runs already may be enough: such a task
// stands and need not take part, but it may grow, by one child or member at least, when others
// depend on that or when nothing else is left to do.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/shapes/ids.h"
#include "core/topology/topology_request.h"

namespace tutti::core {

struct MemberFacts;
class TopologyCache;

// A group with the members of it that take part in the attempt.
struct Subtree {
  GroupId group;               // invalid for a lone pod
  std::vector<PodId> members;  // of a leaf, in the order they are tried
  std::vector<Subtree> children;
  // What is known about exactly these members of a leaf. Null: whoever asks looks at each.
  std::shared_ptr<const MemberFacts> facts = nullptr;
};
// All members of the tree, those of its groups included, in order.
std::vector<PodId> members_of(const Subtree& tree);

struct Task {
  GroupId group;
  std::string key;       // its pods share one domain of this; empty: wherever its parent is
  bool of_group = true;  // the key is the group's own, so that plugins say which domains there are
  std::vector<PodId> scheduled;  // pods that hold the domain
  std::vector<Task> children;
  std::vector<PodId> members;  // of a task without children
  std::size_t minimum = 1;     // children, or members, that must come if it takes part
  bool stands = false;         // nothing is missing: it need not take part
  bool inner = false;          // counts what its children are worth, not members
  std::size_t worth = 1;       // of its parent's minimum

  // Whether any member waits in it.
  bool waits() const;
};

// The members of a leaf that already have a node, or wait in this attempt.
std::vector<PodId> all_members(const GroupTable& groups, const Subtree& leaf);

// Members that ask for levels no node has, or for nonsense, are left out of it.
Task make_task(const Cluster& cluster, const GroupTable& groups, TopologyCache& topology,
               const Subtree& tree);
// Makes the task of one PodGroup whose members ask for this; its own key included.
Task make_task(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf,
               const TopologyRequest& request);

// An error names the member that runs outside the domain of the task that holds it, or of one
// below.
Status check_running(const Cluster& cluster, const Task& task);

}  // namespace tutti::core
