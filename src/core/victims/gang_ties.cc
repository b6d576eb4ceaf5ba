#include "core/victims/gang_ties.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace tutti::core {
namespace {

using model::DisruptionMode;

template <typename Look>
void for_each_scheduled(const GroupTable& groups, GroupId top, const Look& look) {
  for (const GroupId leaf : groups.leaves(top)) {
    for (const auto* members : {&groups[leaf].assigned, &groups[leaf].assumed}) {
      for (const PodId pod : *members) look(pod);
    }
  }
}

// Goes through a tree from below, taking down what lost somebody and does not stand.
class Fall {
 public:
  Fall(const GroupTable& groups, const GangTies::OnNode& stays, const std::set<GroupId>& losers)
      : groups_(groups), stays_(stays), losers_(losers) {}

  // Whether the group still stands; everyone under it may have fallen since.
  bool settle(GroupId id) {
    const Group& group = groups_[id];
    std::int64_t count = 0;
    for (const GroupId child : group.children) count += settle(child);
    if (!group.composite) {
      for_each_scheduled(groups_, id, [&](PodId pod) { count += is_up(pod); });
    }
    if (!group.seen()) return count > 0;
    const bool stands = count >= group.spec().policy.minimum;
    if (!stands && losers_.contains(id) && group.spec().policy.gang &&
        group.spec().disruption != DisruptionMode::single) {
      for_each_scheduled(groups_, id, [&](PodId pod) {
        if (is_up(pod)) fallen_.insert(pod);
      });
    }
    return stands;
  }
  std::vector<PodId> fallen() const { return {fallen_.begin(), fallen_.end()}; }

 private:
  bool is_up(PodId pod) const { return stays_(pod) && !fallen_.contains(pod); }

  const GroupTable& groups_;
  const GangTies::OnNode& stays_;
  const std::set<GroupId>& losers_;
  std::set<PodId> fallen_;
};

}  // namespace

std::optional<DisruptionMode> GangTies::mode(GroupId id) const {
  const Group& group = groups_[id];
  const auto written = group.spec().disruption;
  if (lone_ && written == DisruptionMode::all && group.pod_group != nullptr &&
      model::members_may_differ_in_priority(*group.pod_group)) {
    return std::nullopt;
  }
  return written;
}

const GangTies::Facts& GangTies::facts(GroupId id) {
  // Groups that name each other as parents find each other empty.
  const auto [at, fresh] = facts_.try_emplace(id);
  Facts& known = at->second;  // stays where it is while those below are found
  if (fresh) known = find_facts(id);
  return known;
}

GangTies::Facts GangTies::find_facts(GroupId id) {
  const Group& group = groups_[id];
  Facts made;
  std::int64_t count = 0;
  bool all_fragile = true;
  for (const GroupId child : group.children) {
    if (!groups_[child].seen()) continue;
    const Facts below = facts(child);
    if (below.empty) continue;
    made.empty = false;
    count += below.spare >= 0;
    all_fragile = all_fragile && below.spare >= 0 && below.fragile;
  }
  if (!group.composite) {
    for_each_scheduled(groups_, id, [&](PodId pod) { count += stays_(pod); });
    made.empty = count == 0;
  }
  const auto written = mode(id);
  const bool falls_whole = group.spec().policy.gang && !written;
  made.spare = count - std::max(1, group.spec().policy.minimum);
  made.fragile = made.spare == 0 && all_fragile;
  // Below its minimum already, the rest of a gang is of no use.
  made.together =
      written == DisruptionMode::all || (falls_whole && (made.spare < 0 || made.fragile));
  made.fragile = made.fragile || made.together;
  return made;
}

const GangTies::Tie& GangTies::tie_of(GroupId leaf) {
  TUTTI_CHECK(groups_[leaf].seen(), "how members of a group fall that was only named");
  const auto known = ties_.find(leaf);
  return known != ties_.end() ? known->second : ties_.emplace(leaf, find_tie(leaf)).first->second;
}

GangTies::Tie GangTies::find_tie(GroupId leaf) {
  Tie tie;
  bool counts = true;
  GroupId at = leaf;
  for (int level = 0; level < GroupTable::kMaxDepth && groups_[at].seen(); ++level) {
    const Facts known = facts(at);
    if (known.together) {
      tie = {at, {}};
      counts = known.spare >= 0;
    } else if (known.spare >= 0) {
      tie.links.push_back({at, counts});
      counts = true;
    } else {
      counts = false;  // it does not stand as it is
    }
    if (!groups_[at].parent.valid()) break;
    at = groups_[at].parent;
  }
  // Nobody above cares whether a group that is no gang is there.
  while (!tie.links.empty() && !groups_[tie.links.back().group].spec().policy.gang) {
    tie.links.pop_back();
  }
  return tie;
}

std::vector<PodId> rest_of_broken_gangs(const GroupTable& groups,
                                        const std::vector<GroupId>& leaves,
                                        const GangTies::OnNode& stays) {
  std::set<GroupId> roots;
  std::set<GroupId> losers;
  for (const GroupId leaf : leaves) {
    const auto root = leaf.valid() ? groups.root_of(leaf) : std::nullopt;
    if (!root) continue;
    roots.insert(*root);
    for (GroupId at = leaf; losers.insert(at).second && at != *root;) at = groups[at].parent;
  }
  std::vector<PodId> rest;
  for (const GroupId root : roots) {
    Fall fall(groups, stays, losers);
    fall.settle(root);
    const auto fallen = fall.fallen();
    rest.insert(rest.end(), fallen.begin(), fallen.end());
  }
  return rest;
}

}  // namespace tutti::core
