// EvictionSearch: whom to evict, and where everyone then goes, so that a tree of groups fits with
// the least harm (harm.h). Placement and victims are chosen together: the same solvers that place
// groups are asked again and again, each time with other units away.
//
//   EvictionProposal's answer, domain by domain ──checked──> those not needed stay ──┐
//   none holds: cheapest units first, as few as it takes ─────────────────────┴─> Found
//   few enough units: every choice that could be better is looked at, or ruled out
//
// As many members are made room for as could be placed with everyone gone. The last step proves the
// answer least; where there are too many units for it, or its budget ends, Found says so.
#pragma once

#include <functional>

#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/placement/group_solver.h"
#include "core/preemption/eviction_proposal.h"
#include "core/preemption/lifted_victims.h"
#include "core/preemption/pod_interference.h"
#include "core/victims/harm.h"
#include "core/victims/victims.h"

namespace tutti::core {

class EvictionSearch {
 public:
  struct Found {
    std::vector<std::uint32_t> units;  // of the victim table; empty: those leaving suffice
    std::vector<ProposedPod> places;   // of the members, once the units are gone
    Harm harm;
    bool least = false;  // proven
  };

  EvictionSearch(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
                 const Profile& profile, const Subtree& tree, const VictimTable& victims,
                 std::size_t search_budget);

  // Empty when evicting does not help. The cluster is as before afterwards.
  std::optional<Found> run();

 private:
  using Places = std::vector<ProposedPod>;

  // Where members would go with the units away that are; empty when the group does not fit.
  std::optional<Places> trial(const Bitset* within);
  std::optional<Places> trial_of(std::span<const std::uint32_t> units, const Bitset* within);
  std::optional<Found> from_rooms();
  std::optional<Found> check_rooms(std::size_t goal);
  void make_rooms(EvictionProposal& maker);
  std::optional<Found> from_prefix();
  Found spared(std::vector<std::uint32_t> units, Places places);
  void spare(std::span<const std::uint32_t> units, const Places& places,
             std::vector<std::uint32_t>& needed);
  Found spared_by_trial(std::vector<std::uint32_t> units, Places places);
  // Puts units back if the members bear it; whether they did.
  using PutBack = std::function<bool(std::span<const std::uint32_t>)>;
  void spare_gangs(std::vector<std::uint32_t>& units, const PutBack& put_back);
  bool is_down(const Bond& bond) const;
  std::vector<std::uint32_t> set_aside_fallen(std::vector<std::uint32_t>& units) const;
  void spare_those_elsewhere(std::vector<std::uint32_t>& units, Places& places);
  bool still_fits(std::span<const std::uint32_t> units, const Places& places);
  bool may_be_minded(std::uint32_t unit);
  bool node_holds(NodeId node) const;
  bool accepts_on(const ProposedPod& member);

  void improve(std::optional<Found>& best);
  std::optional<std::vector<std::uint32_t>> worth_a_look(const std::optional<Found>& best) const;
  void descend(std::size_t depth, const Places& places);
  void look_at_leaf(const Places& places);
  bool takes_a_kept_one(std::size_t depth) const;

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  const Subtree& tree_;
  const VictimTable& victims_;
  std::size_t search_budget_;
  std::vector<PodId> members_;
  PodInterference company_;  // of the members
  std::vector<ResourceId> resources_;
  // Removing more units can only help; not so when members want company or even spread.
  bool monotone_ = true;
  // Members ask for devices: who holds which is decided with every placement anew.
  bool want_devices_ = false;
  LiftedVictims absence_;
  std::vector<Placement> placements_;
  struct RoomInPlace {
    EvictionProposal::Room room;
    const Bitset* within;
  };
  std::vector<RoomInPlace> rooms_;  // best first
  std::size_t goal_ = 0;            // members to be placed

  // State of improve().
  std::vector<std::uint32_t> order_;  // most harmful first
  std::vector<bool> alike_;           // like the one before in the order
  std::vector<bool> kept_;            // by depth
  HarmTally tally_;
  std::vector<std::uint32_t> evicted_;
  std::optional<Found>* best_ = nullptr;
  std::size_t looks_ = 0;
};

}  // namespace tutti::core
