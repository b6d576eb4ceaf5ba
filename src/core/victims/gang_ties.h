// Bonds: what members of a gang are to each other when some of them are evicted.
//
// A gang that would be left below its minimum falls whole, at every level of its tree, unless its
// disruptionMode is written out as single. While it has members to spare they go one by one:
//
//   gang of 4, 4 run    nobody to spare: it is one unit, like a group of mode `all`
//   gang of 4, 6 run    six units under one bond with 2 to spare; the third one to go takes the
//   rest written as single   the bond only says that what is left does nothing, which is counted as
//   cost
//
// A child that falls is a member that its composite loses, so bonds form trees, too.
#pragma once

#include <functional>
#include <unordered_map>

#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/shapes/ids.h"

namespace tutti::core {

struct Bond {
  GroupId group;
  std::uint32_t parent = kNoIndex;  // kNoIndex: none
  bool counts = false;     // the parent loses a member when this one does not stand any more
  std::int64_t spare = 0;  // members that it can lose and still stand
  bool whole = false;      // everyone under it goes when it does not
  bool stalls = false;     // those left under it are of no use when it does not
  std::vector<std::uint32_t> units;  // all under it
  std::int64_t rest_cost = 0;        // of those under it that are no units
};

// How the pods of groups fall, by what their groups say and who of them is on a node.
class GangTies {
 public:
  using OnNode = std::function<bool(PodId)>;

  // `stays` says who is on a node and is not leaving. To a lone preemptor a v1alpha2 group has no
  // mode `all`.
  GangTies(const GroupTable& groups, OnNode stays, bool lone)
      : groups_(groups), stays_(std::move(stays)), lone_(lone) {}

  // A group above what falls.
  struct Link {
    GroupId group;
    bool counts = false;  // what falls below it is a member that it loses
  };
  // How a pod of a leaf falls: with everyone under `unit` (invalid: by itself), and under which
  // groups, the nearest first.
  struct Tie {
    GroupId unit;
    std::vector<Link> links;
  };
  // Requires that the leaf was seen.
  const Tie& tie_of(GroupId leaf);

  // Members under the group that it can lose and still stand; below zero: it does not stand.
  std::int64_t spare(GroupId id) { return facts(id).spare; }
  std::optional<model::DisruptionMode> mode(GroupId id) const;

 private:
  struct Facts {
    std::int64_t spare = 0;
    bool empty = true;      // nobody is on a node
    bool fragile = false;   // it does not stand without any one pod under it
    bool together = false;  // everyone under it goes with any one of them
  };
  const Facts& facts(GroupId id);
  Facts find_facts(GroupId id);
  Tie find_tie(GroupId leaf);

  const GroupTable& groups_;
  OnNode stays_;
  bool lone_;
  std::unordered_map<GroupId, Tie> ties_;
  std::unordered_map<GroupId, Facts> facts_;
};

// Names who must go as well when pods of these leaves went, so that no gang is left below its
// minimum in part. `stays` is true of everyone else on a node. In order of groups and pods.
std::vector<PodId> rest_of_broken_gangs(const GroupTable& groups,
                                        const std::vector<GroupId>& leaves,
                                        const GangTies::OnNode& stays);

}  // namespace tutti::core
