// GroupTable: who belongs to which group, and the tree the groups form.
//
// A group exists here as soon as a pod or a child names it, whether or not its object was seen.
// Pods enter when they are ours to place or already assigned, and leave when they finish or go.
//
//        pending ──place──> assumed ──observed on a node──> assigned ──deletion begins──> leaving
//           ^──────undo / failed bind──┘
//
// A leaving member still holds its node but no longer counts: who is placed now must not rely on
// it.
#pragma once

#include <map>
#include <set>

#include "base/check.h"
#include "base/std.h"
#include "core/shapes/ids.h"
#include "model/group.h"

namespace tutti::core {

struct Group {
  std::string ns;
  std::string name;
  bool composite = false;
  std::shared_ptr<const model::PodGroup> pod_group;  // null until seen
  std::shared_ptr<const model::CompositePodGroup> composite_group;
  GroupId parent;                 // invalid: none named
  std::vector<GroupId> children;  // by creation time, then name
  std::set<PodId> pending;
  std::set<PodId> assumed;
  std::set<PodId> assigned;
  std::set<PodId> leaving;
  // Another one after every change of the group or of one of its pods; no two groups share one.
  std::uint64_t revision = 0;

  bool seen() const { return pod_group != nullptr || composite_group != nullptr; }
  std::size_t scheduled_count() const { return assumed.size() + assigned.size(); }
  std::size_t pod_count() const { return pending.size() + scheduled_count(); }
  // Requires seen().
  const model::GroupSpec& spec() const {
    return pod_group ? pod_group->spec : composite_group->spec;
  }
  std::int32_t priority() const { return spec().priority.value_or(0); }
  std::optional<Instant> created() const {
    return pod_group ? pod_group->meta.created : composite_group->meta.created;
  }
};

class GroupTable {
 public:
  static constexpr int kMaxDepth = 4;

  // Finds or makes the entry for a name.
  GroupId intern(std::string_view ns, std::string_view name, bool composite);
  std::optional<GroupId> find(std::string_view ns, std::string_view name, bool composite) const;
  const Group& operator[](GroupId id) const {
    TUTTI_CHECK(id.index < groups_.size() && groups_[id.index] != nullptr, "a group that is gone");
    return *groups_[id.index];
  }
  std::size_t slots() const { return groups_.size(); }
  bool alive(GroupId id) const { return groups_[id.index] != nullptr; }

  GroupId set(std::shared_ptr<const model::PodGroup> object);
  GroupId set(std::shared_ptr<const model::CompositePodGroup> object);
  // The object is gone; the entry stays while anything names it.
  void remove_object(GroupId id);

  enum class Membership { pending, assumed, assigned, leaving };
  void add_pod(GroupId id, PodId pod, Membership membership);
  void remove_pod(GroupId id, PodId pod);
  // The object of one of the group's pods changed. Nothing happens for an invalid id.
  void touch(GroupId id);

  // The root above `id` (or itself), if the whole chain up to a parentless group was seen. Empty
  // for a missing ancestor, a cycle, or a chain deeper than kMaxDepth.
  std::optional<GroupId> root_of(GroupId id) const;
  // Leaves (PodGroups) below a root in depth-first order of children, each once; the root itself if
  // it is one.
  std::vector<GroupId> leaves(GroupId root) const;
  // Whether enough members exist for the group's minimum, recursively: pods of a PodGroup, ready
  // children of a composite.
  bool has_quorum(GroupId id) const;
  // Whether members with a node, decided or observed, meet the group's minimum, recursively.
  // `lacking` names a leaf that is counted as if it had one less.
  bool satisfied(GroupId id, GroupId lacking = {}) const;
  // Whether members observed on their nodes, not only decided, meet the minimum, recursively.
  bool complete(GroupId id) const;

 private:
  void collect_leaves(GroupId id, std::vector<GroupId>& path, std::vector<GroupId>& all) const;
  void link(GroupId child, std::string_view parent_name);
  void unlink(GroupId child);
  void drop_if_unused(GroupId id);

  std::vector<std::unique_ptr<Group>> groups_;
  std::uint64_t revisions_ = 0;
  std::vector<GroupId> vacant_;
  std::map<std::pair<std::string, std::string>, GroupId, std::less<>> pod_groups_;
  std::map<std::pair<std::string, std::string>, GroupId, std::less<>> composites_;
};

}  // namespace tutti::core
