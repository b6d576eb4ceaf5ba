// RoomMaker: a first good answer to "who must go so that these pods fit", fast on large clusters.
//
// Members take nodes one after another, the largest first, each the node where its room does the
// least harm on top of what was decided so far. On a node the cheapest units go until the member
// fits, and those that turn out not to be needed stay; where units differ in size, a few other
// choices are looked at too. Only resources are weighed against those who
// stay; the other filters are asked with everyone away. Whoever uses the answer checks it.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "base/bitset.h"
#include "core/absence.h"
#include "core/evaluation.h"
#include "core/harm.h"
#include "core/transaction.h"
#include "core/victims.h"

namespace tutti::core {

class RoomMaker {
 public:
  struct Room {
    std::vector<std::uint32_t> units;  // to be evicted
    Harm harm;
    std::size_t members = 0;  // that then have a node
  };

  // To be made while every unit is away; so must they be when make() is called.
  RoomMaker(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
            const VictimTable& victims, const Absence& absence, std::span<const PodId> members);

  // Room for as many members as possible on the nodes of `within` (null: all). Empty when that does
  // more harm than `best`, which has room for all of them, or makes room for nobody.
  std::optional<Room> make(const Bitset* within, const Room* best);

 private:
  // One unit's pods on one node.
  struct Local {
    std::uint32_t unit;
    std::uint32_t amounts;  // index of its first amount in freed_
  };
  struct Offer {
    Harm harm;  // beyond what is decided; the priority is that of the whole
    std::uint32_t rank = 0;
    NodeId node;
    std::uint32_t version = 0;
    bool operator>(const Offer& other) const {
      return std::tie(harm, rank) > std::tie(other.harm, other.rank);
    }
  };
  using Offers = std::priority_queue<Offer, std::vector<Offer>, std::greater<>>;

  void sort_members(std::span<const PodId> members);
  void list_locals();
  void start_over();
  std::span<const Local> locals(NodeId node) const {
    return std::span(locals_).subspan(first_local_[node.index],
                                      first_local_[node.index + 1] - first_local_[node.index]);
  }
  std::int64_t* row(std::vector<std::int64_t>& table, NodeId node) const {
    return table.data() + node.index * resources_.size();
  }
  std::size_t place_class(Transaction& transaction, std::span<const PodId> pods,
                          const Bitset* within);
  std::optional<Offer> offer(NodeId node, std::span<const std::int64_t> request);
  bool cover(NodeId node, std::span<const std::int64_t> request);
  // Looks for a choice that does less harm than the one that cover() came to.
  void refine(NodeId node);
  struct Refinement;
  void refine_from(Refinement& state, std::size_t at);
  bool helps(const Local& local, const std::vector<std::int64_t>& missing) const;
  void evict(std::uint32_t unit);
  void touch(NodeId node) {
    ++version_[node.index];
    touched_.push_back(node);
  }

  Cluster& cluster_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  const VictimTable& victims_;
  const Absence& absence_;
  std::vector<std::vector<PodId>> classes_;  // identical members, the largest first
  std::vector<ResourceId> resources_;        // that any member asks for
  bool counting_ = true;                     // members meet each other in resources only

  std::vector<std::uint32_t> first_local_;  // by node, and one more
  std::vector<Local> locals_;               // least harmful first on each node
  std::vector<std::int64_t> freed_;         // amounts of locals, resources_ many each
  // By node, resources_ many each: what is left when everyone stays, negative when overdrawn.
  std::vector<std::int64_t> left_at_start_;

  // Of the make() under way.
  std::vector<std::int64_t> left_;
  std::vector<std::uint32_t> version_;  // by node
  std::vector<std::uint32_t> offered_;  // by node: the version that was last offered again
  std::vector<NodeId> touched_;
  std::vector<bool> evicted_;  // by unit
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> choice_;  // of the last cover()
  // Of one node at a time; kept for their memory.
  std::vector<std::int64_t> missing_at_first_;
  std::vector<std::int64_t> missing_;
  std::vector<const Local*> going_;
  std::vector<const Local*> useful_;
  HarmTally tally_;
};

}  // namespace tutti::core
