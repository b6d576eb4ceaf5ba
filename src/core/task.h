// Task: what must be placed together, and in one domain of which key: the tree of groups of an
// attempt, refined by what members ask of the topology.
//
//   composite ─ children that must stand      (at least `minimum` of them)
//   pod group ─ its waiting members           (at least `minimum` of them)
//   pod group with slices ─ one child per slice, all of its members
//
// Keys nest: a task's domain lies inside its parent's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/groups.h"
#include "core/ids.h"
#include "core/topology_request.h"

namespace tutti::core {

struct MemberFacts;

// A group with the members of it that take part in the attempt.
struct Subtree {
  GroupId group;               // invalid for a lone pod
  std::vector<PodId> members;  // of a leaf, in the order they are tried
  std::vector<Subtree> children;
  // Of a leaf: what is known about exactly these members. Null: whoever asks looks at each.
  std::shared_ptr<const MemberFacts> facts = nullptr;
};

struct Task {
  GroupId group;
  std::string key;       // its pods share one domain of this; empty: wherever its parent is
  bool of_group = true;  // the key is the group's own, so that plugins say which domains there are
  std::vector<PodId> scheduled;  // pods that hold the domain
  std::vector<Task> children;
  std::vector<PodId> members;  // of a task without children
  std::size_t minimum = 0;     // children, or members, that are still missing
  bool inner = false;          // counts children, not members

  // Nothing is missing.
  bool standing() const { return minimum == 0; }
};

// The members of a leaf that already have a node, or wait in this attempt.
std::vector<PodId> all_members(const GroupTable& groups, const Subtree& leaf);

Task make_task(const Cluster& cluster, const GroupTable& groups, const Subtree& tree);
// Of one PodGroup whose members ask for this; its own key included.
Task make_task(const Cluster& cluster, const GroupTable& groups, const Subtree& leaf,
               const TopologyRequest& request);

}  // namespace tutti::core
