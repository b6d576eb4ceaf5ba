// GangAccounts: which gangs have had their minimum on nodes since we last placed members of them,
// and whom we placed of the others. What happens to a gang that was complete is not ours to undo;
// of one that never was, whoever we placed answers for it.
#pragma once

#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/std.h"
#include "core/cluster/groups.h"

namespace tutti::core {

class GangAccounts {
 public:
  explicit GangAccounts(const GroupTable& groups) : groups_(groups) {}

  // A pod placed while its gang is below its minimum answers for it until it is complete, be it for
  // the first time or again after losing members.
  void open(GroupId leaf, PodId pod);
  // A member was seen on a node. Returns the leaves whose account that closes: a group that has its
  // minimum stays completed, level by level, but only the whole tree settles the account.
  std::vector<GroupId> close_completed(GroupId leaf);
  // The pod no longer answers for its gang. Whether it did.
  bool take_off(GroupId leaf, PodId pod);
  // Ends the account; returns who answered.
  std::set<PodId> take(GroupId leaf);
  // Counts one more attempt to replace a lost member. Whether the gang may have it.
  bool may_repair(GroupId leaf);
  void end_repairs(GroupId leaf) { repairs_.erase(leaf); }
  void forget(GroupId group);

  bool has(GroupId leaf) const { return answering_.contains(leaf); }
  // Whether the loss of one member would leave the gang, or the tree it is part of, never complete
  // so far, below its minimum.
  bool needs_every_member(GroupId leaf) const;
  // Whether a group that was never complete is below its minimum, decided placements included.
  bool falls_short(GroupId group) const;
  // Whether the gang, or its tree, can no longer reach the minimum that it never had.
  bool is_lost(GroupId leaf) const;

 private:
  const GroupTable& groups_;
  std::unordered_set<GroupId> completed_;
  std::unordered_map<GroupId, std::set<PodId>> answering_;
  std::unordered_map<GroupId, int> repairs_;
};

}  // namespace tutti::core
