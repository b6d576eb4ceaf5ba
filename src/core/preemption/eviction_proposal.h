// EvictionProposal: a first good answer to "who must go so that these pods fit", fast on large
// clusters.
//
// Members take nodes one after another, the largest first, each the node where its room does the
// least harm on top of what was decided so far. On a node the cheapest units go until the member
// fits, and those that turn out not to be needed stay; where units differ in size, a few other
// choices are looked at too. Only resources are weighed against those who
// stay; the other filters are asked with everyone away. Whoever uses the answer checks it.
//
// Before members are placed among some nodes, counting says how much harm that does at least
// (eviction_bound.cc): a domain that cannot be better than the best so far is passed over.
#pragma once

#include <queue>

#include "base/bitset.h"
#include "base/std.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/transaction.h"
#include "core/preemption/lifted_victims.h"
#include "core/victims/harm.h"
#include "core/victims/victims.h"

namespace tutti::core {

class EvictionProposal {
 public:
  struct Room {
    std::vector<std::uint32_t> units;  // to be evicted
    Harm harm;
    std::size_t members = 0;  // that then have a node
  };

  // Whether members and units meet in resources only. Then who is away makes no difference to the
  // other filters, and nobody needs to be.
  static bool only_counts(const Cluster& cluster, const Profile& profile,
                          const VictimTable& victims, std::span<const PodId> members);

  // To be made while every unit is away, or none where only_counts(); so must they be when make()
  // is called.
  EvictionProposal(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
                   const VictimTable& victims, const LiftedVictims& absence,
                   std::span<const PodId> members);

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
  void sort_locals(std::span<const std::uint32_t> end);
  void start_over();
  Bitset open_nodes(const PodClass& pods) const;
  // Nodes that would take a member of the class if all units were away, as far as other filters
  // than that of resources are concerned at least.
  Bitset usable(std::size_t class_index, const Bitset* within);
  std::span<const Local> locals(NodeId node) const {
    return std::span(locals_).subspan(first_local_[node.index],
                                      first_local_[node.index + 1] - first_local_[node.index]);
  }
  std::int64_t* row(std::vector<std::int64_t>& table, NodeId node) const {
    return table.data() + node.index * resources_.size();
  }
  std::vector<std::int64_t> request_of(PodId pod) const;  // by resource of resources_
  // Stops as soon as `most` harm is done; null: never.
  std::size_t place_class(Transaction& transaction, std::size_t class_index, const Bitset* within,
                          const Harm* most);

  // --- the least harm, by counting ---------------------------------------------------------------
  // How many members at most a unit makes room for.
  struct Gain {
    std::uint32_t unit;
    std::int64_t members;
  };
  // What make() comes to, where counting tells: that nobody need go, or that the harm would be no
  // less than the best's.
  struct Foreseen {
    bool certain = false;
    std::optional<Room> room = {};
  };
  Foreseen foresee(const Bitset* within, const Room* best);
  // Members that fit the nodes.
  struct Count {
    std::int64_t now = 0;         // at most, while everyone stays
    std::int64_t when_empty = 0;  // exactly, when everyone goes
    bool exact = true;            // so is the first
  };
  // Lists the gains of all units on the nodes, too.
  Count find_gains(const Bitset& nodes, std::span<const std::int64_t> request);
  std::int64_t room_now(NodeId node, std::span<const std::int64_t> request, std::size_t& scarce);
  std::int64_t room_when_empty(NodeId node, std::span<const std::int64_t> request);
  bool gains_do_at_least(const Harm& harm, std::int64_t missing);
  template <typename Weight>
  std::int64_t least_sum(std::int64_t missing, const Weight& weight_of);
  std::int32_t least_priority(std::int64_t missing);

  std::optional<Offer> offer(NodeId node, std::span<const std::int64_t> request);
  bool cover(NodeId node, std::span<const std::int64_t> request);
  // Looks for a choice that does less harm than the one that cover() came to.
  void refine(NodeId node);
  struct Refinement;
  void refine_from(Refinement& state, std::size_t at);
  void take_locals(NodeId node, bool sparing);
  // How many of the bond are among going_.
  std::int64_t going_of(std::uint32_t bond) const;
  bool helps(const Local& local, const std::vector<std::int64_t>& missing) const;
  // The unit goes, and all that fall with it.
  void evict(std::uint32_t unit);
  void take_away(std::uint32_t unit);
  void touch(NodeId node) {
    ++version_[node.index];
    touched_.push_back(node);
  }

  Cluster& cluster_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  const VictimTable& victims_;
  const LiftedVictims& absence_;
  std::vector<std::vector<PodId>> classes_;  // identical members, the largest first
  std::vector<ResourceId> resources_;        // that any member asks for
  bool counting_ = true;                     // members meet each other in resources only

  std::vector<std::uint32_t> first_local_;  // by node, and one more
  std::vector<Local> locals_;               // least harmful first on each node
  std::vector<std::int64_t> freed_;         // amounts of locals, resources_ many each
  // By node, resources_ many each: what is left when everyone stays, negative when overdrawn.
  std::vector<std::int64_t> left_at_start_;
  std::vector<std::int64_t> left_when_empty_;  // the same when everyone goes
  bool lifted_ = false;                        // the units are away
  std::vector<Bitset> open_;                   // by class, unless they are

  // State of the make() under way.
  std::vector<std::int64_t> left_;
  std::vector<std::uint32_t> version_;  // by node
  std::vector<std::uint32_t> offered_;  // by node: the version that was last offered again
  std::vector<NodeId> touched_;
  std::vector<bool> evicted_;  // by unit
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> choice_;  // of the last cover()
  // State of one node at a time; kept for its memory.
  std::vector<std::int64_t> missing_at_first_;
  std::vector<std::int64_t> missing_;
  std::vector<const Local*> going_;
  std::vector<const Local*> useful_;
  HarmTally tally_;
  std::vector<Gain> gains_;
  std::vector<std::uint32_t> gain_of_;  // by unit: into gains_; kNoIndex: none
};

}  // namespace tutti::core
