#include "core/queue/group_cache.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/queue/agreement.h"

namespace tutti::core {
namespace {

using MembersByLeaf = std::map<GroupId, std::vector<Member>>;

// Priority down, attempts down, time up, name up: total, so input order never shows. Who joined the
// entity earlier was there for more attempts.
std::vector<PodId> in_order(const Cluster& cluster, std::vector<Member> members) {
  std::ranges::sort(members, [&](const Member& a, const Member& b) {
    const auto rank = [&](const Member& member) {
      const model::Pod& pod = *cluster.pod(member.pod).object;
      return std::tuple(-std::int64_t{pod.priority.value_or(0)}, member.joined, member.added,
                        std::string_view(pod.meta.name));
    };
    return rank(a) < rank(b);
  });
  std::vector<PodId> pods;
  pods.reserve(members.size());
  for (const Member& member : members) pods.push_back(member.pod);
  return pods;
}

Subtree grow(const Cluster& cluster, const GroupTable& groups, GroupId group,
             const MembersByLeaf& members) {
  Subtree tree{group, {}, {}};
  if (group.valid() && groups[group].composite) {
    for (const GroupId child : groups[group].children) {
      tree.children.push_back(grow(cluster, groups, child, members));
    }
  } else if (const auto at = members.find(group); at != members.end()) {
    tree.members = in_order(cluster, at->second);
  }
  return tree;
}

}  // namespace

GroupCache* current_roster(const GroupTable& groups, const Entity& entity) {
  if (entity.group_cache == nullptr || !groups.alive(entity.root)) return nullptr;
  return entity.group_cache->revision == groups[entity.root].revision ? entity.group_cache.get()
                                                                      : nullptr;
}

Subtree grow_tree(const Cluster& cluster, const GroupTable& groups, const Entity& entity,
                  const std::unordered_map<PodId, GroupId>& leaf_of) {
  MembersByLeaf by_leaf;
  for (const auto& [pod, member] : entity.members) {
    by_leaf[entity.lone() ? GroupId{} : leaf_of.at(pod)].push_back(member);
  }
  return grow(cluster, groups, entity.root, by_leaf);
}

namespace {

GroupCache draw_up(const Cluster& cluster, const GroupTable& groups,
                   const std::unordered_map<PodId, GroupId>& leaf_of, const Entity& entity) {
  GroupCache group_cache;
  group_cache.revision = groups[entity.root].revision;
  group_cache.tree = grow_tree(cluster, groups, entity, leaf_of);
  group_cache.tree.facts =
      std::make_shared<const MemberFacts>(find_facts(cluster, groups, group_cache.tree));
  group_cache.disagreement = disagreement(cluster, groups, entity);
  return group_cache;
}

}  // namespace

void refresh(const Cluster& cluster, const GroupTable& groups,
             const std::unordered_map<PodId, GroupId>& leaf_of, Entity& entity) {
  if (entity.lone() || groups[entity.root].composite) return;
  if (current_roster(groups, entity) != nullptr) return;
  entity.group_cache = std::make_shared<GroupCache>(draw_up(cluster, groups, leaf_of, entity));
}

bool group_cache_holds(const Cluster& cluster, const GroupTable& groups,
                       const std::unordered_map<PodId, GroupId>& leaf_of, const Entity& entity) {
  const GroupCache* known = current_roster(groups, entity);
  if (known == nullptr) return true;
  const GroupCache anew = draw_up(cluster, groups, leaf_of, entity);
  return known->tree.members == anew.tree.members && *known->tree.facts == *anew.tree.facts &&
         known->disagreement == anew.disagreement;
}

}  // namespace tutti::core
