#include "core/cluster/groups.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

// Whether a tree of groups stands when a leaf counts as many members as `members_of` says. Nothing
// stands on more levels than there may be, least of all a cycle.
template <typename MembersOf>
bool stands(const GroupTable& groups, GroupId id, const MembersOf& members_of,
            int levels = GroupTable::kMaxDepth) {
  const Group& group = groups[id];
  if (!group.seen() || levels == 0) return false;
  const auto minimum = static_cast<std::size_t>(group.spec().policy.minimum);
  if (!group.composite) return members_of(id, group) >= minimum;
  const auto standing = std::ranges::count_if(
      group.children, [&](GroupId child) { return stands(groups, child, members_of, levels - 1); });
  return static_cast<std::size_t>(standing) >= minimum;
}

void take_out(Group& group, PodId pod) {
  for (auto* members : {&group.pending, &group.assumed, &group.assigned, &group.leaving}) {
    members->erase(pod);
  }
}

}  // namespace

GroupId GroupTable::intern(std::string_view ns, std::string_view name, bool composite) {
  auto& ids = composite ? composites_ : pod_groups_;
  std::pair key{std::string(ns), std::string(name)};
  if (const auto at = ids.find(key); at != ids.end()) return at->second;
  GroupId id{static_cast<std::uint32_t>(groups_.size())};
  if (vacant_.empty()) {
    groups_.emplace_back();
  } else {
    id = vacant_.back();
    vacant_.pop_back();
    TUTTI_CHECK(groups_[id.index] == nullptr, "the slot is taken");
  }
  groups_[id.index] = std::make_unique<Group>();
  Group& group = *groups_[id.index];
  group.ns = key.first;
  group.name = key.second;
  group.composite = composite;
  touch(id);
  ids.emplace(std::move(key), id);
  return id;
}

std::optional<GroupId> GroupTable::find(std::string_view ns, std::string_view name,
                                        bool composite) const {
  const auto& ids = composite ? composites_ : pod_groups_;
  const auto at = ids.find(std::pair{std::string(ns), std::string(name)});
  if (at == ids.end()) return std::nullopt;
  return at->second;
}

GroupId GroupTable::set(std::shared_ptr<const model::PodGroup> object) {
  const GroupId id = intern(object->meta.ns, object->meta.name, false);
  groups_[id.index]->pod_group = std::move(object);
  link(id, groups_[id.index]->pod_group->parent);
  return id;
}

GroupId GroupTable::set(std::shared_ptr<const model::CompositePodGroup> object) {
  const GroupId id = intern(object->meta.ns, object->meta.name, true);
  groups_[id.index]->composite_group = std::move(object);
  link(id, groups_[id.index]->composite_group->parent);
  return id;
}

void GroupTable::touch(GroupId id) {
  if (!id.valid()) return;
  TUTTI_CHECK(alive(id), "a group that is gone changes");
  groups_[id.index]->revision = ++revisions_;
}

void GroupTable::link(GroupId child, std::string_view parent_name) {
  touch(child);
  unlink(child);
  if (parent_name.empty()) return;
  const GroupId parent = intern(groups_[child.index]->ns, parent_name, true);
  groups_[child.index]->parent = parent;
  auto& children = groups_[parent.index]->children;
  children.push_back(child);
  std::ranges::sort(children, [&](GroupId a, GroupId b) {
    const Group& left = *groups_[a.index];
    const Group& right = *groups_[b.index];
    const auto rank = [](const Group& group) {
      return std::tuple(group.seen() ? group.created() : std::nullopt, group.name, group.composite);
    };
    return rank(left) < rank(right);
  });
}

void GroupTable::unlink(GroupId child) {
  const GroupId parent = groups_[child.index]->parent;
  if (!parent.valid()) return;
  TUTTI_CHECK(alive(parent), "a parent goes before its children");
  groups_[child.index]->parent = {};
  std::erase(groups_[parent.index]->children, child);
  drop_if_unused(parent);
}

void GroupTable::remove_object(GroupId id) {
  touch(id);
  groups_[id.index]->pod_group.reset();
  groups_[id.index]->composite_group.reset();
  unlink(id);
  // One that named itself as its parent is gone with that.
  if (alive(id)) drop_if_unused(id);
}

void GroupTable::add_pod(GroupId id, PodId pod, Membership membership) {
  TUTTI_CHECK(id.valid() && alive(id) && pod.valid());
  Group& group = *groups_[id.index];
  touch(id);
  take_out(group, pod);
  switch (membership) {
    case Membership::pending:
      group.pending.insert(pod);
      break;
    case Membership::assumed:
      group.assumed.insert(pod);
      break;
    case Membership::assigned:
      group.assigned.insert(pod);
      break;
    case Membership::leaving:
      group.leaving.insert(pod);
      break;
  }
}

void GroupTable::remove_pod(GroupId id, PodId pod) {
  TUTTI_CHECK(id.valid() && alive(id), "a member leaves a group that is gone");
  touch(id);
  take_out(*groups_[id.index], pod);
  drop_if_unused(id);
}

void GroupTable::drop_if_unused(GroupId id) {
  TUTTI_CHECK(alive(id), "a group is dropped twice");
  const Group& group = *groups_[id.index];
  if (group.seen() || group.pod_count() != 0 || !group.leaving.empty() || !group.children.empty()) {
    return;
  }
  (group.composite ? composites_ : pod_groups_).erase(std::pair{group.ns, group.name});
  groups_[id.index].reset();
  vacant_.push_back(id);
}

std::optional<GroupId> GroupTable::root_of(GroupId id) const {
  for (int level = 0; level < kMaxDepth; ++level) {
    const Group& group = *groups_[id.index];
    if (!group.seen()) return std::nullopt;
    if (!group.parent.valid()) return id;
    id = group.parent;
  }
  return std::nullopt;
}

std::vector<GroupId> GroupTable::leaves(GroupId root) const {
  std::vector<GroupId> path;
  std::vector<GroupId> all;
  collect_leaves(root, path, all);
  return all;
}

// An API server checks each object by itself: groups may name each other as parents.
void GroupTable::collect_leaves(GroupId id, std::vector<GroupId>& path,
                                std::vector<GroupId>& all) const {
  if (!groups_[id.index]->composite) return all.push_back(id);
  if (std::ranges::find(path, id) != path.end()) return;
  path.push_back(id);
  for (const GroupId child : groups_[id.index]->children) collect_leaves(child, path, all);
  path.pop_back();
}

bool GroupTable::has_quorum(GroupId id) const {
  return stands(*this, id, [](GroupId, const Group& leaf) { return leaf.pod_count(); });
}

bool GroupTable::satisfied(GroupId id, GroupId lacking) const {
  return stands(*this, id, [&](GroupId leaf, const Group& group) {
    const std::size_t count = group.scheduled_count();
    return leaf == lacking && count > 0 ? count - 1 : count;
  });
}

bool GroupTable::complete(GroupId id) const {
  return stands(*this, id, [](GroupId, const Group& leaf) { return leaf.assigned.size(); });
}

}  // namespace tutti::core
