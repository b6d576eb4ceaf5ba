// EarlyMembers: members that a search placed before the company that their affinity requires.
//
// Pods of a gang start together, so what one of them requires of another need not be there first.
// Such a member waits in its place for its company and is judged when that has come, as if it came
// only then: from there on it is settled.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/profile.h"

namespace tutti::core {

class EarlyMembers {
 public:
  // What a member still waits for.
  struct Wish {
    std::size_t which;  // its class
    Bitset where;       // company must come to one of these nodes
  };
  struct Member {
    std::size_t which;
    PodId pod;
    NodeId node;
    bool settled = false;
  };

  EarlyMembers(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile)
      : cluster_(cluster), evaluations_(evaluations), profile_(profile) {}

  // Takes in a member of class `which` that was just placed.
  void add(std::size_t which, PodId pod, NodeId node) { members_.push_back({which, pod, node}); }
  // Takes back the last add().
  void drop_last() { members_.pop_back(); }
  const Member& operator[](std::size_t at) const { return members_[at]; }

  // Settles those who would be accepted where they are if they came now, and says who they are.
  // Leaves the cluster as it was.
  std::vector<std::size_t> settle();
  void unsettle(const std::vector<std::size_t>& members);
  bool all_settled() const;
  // Returns the wish of the first member that lacks company; nothing when nobody does.
  std::optional<Wish> first_wish();

 private:
  bool is_accepted(const Member& member);

  Cluster& cluster_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  std::vector<Member> members_;  // in the order of placing
};

// Whether one of these pods requires another of them nearby and may be placed before it.
bool may_come_before_another(const Cluster& cluster, EvaluationCache& evaluations,
                             const Profile& profile, std::span<const PodId> pods);

}  // namespace tutti::core
