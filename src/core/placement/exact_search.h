// ExactSearch: places enough members of one or several lots together, or proves that it cannot be
// done, where trying members in order may miss a placement.
//
// Members that do not care about each other are counted and packed as numbers (packing.h).
// Otherwise depth first over (class, node) pairs inside one transaction, hardest class first,
// tightest node first. What keeps it small:
//   - identical pods are one class, so only how many of it matters;
//   - nodes that look alike to every class left are tried once;
//   - a state is the multiset of placements, however it was reached; failed ones are remembered;
//   - a class without a node is written off when nothing placed later could open one for it.
// A member whose affinity another member can meet may come before it (early_members.h). It names
// the nodes where its company must come, and whoever could be that is tried next. Where members ask
// nothing else of each other, what can be placed can be placed in any order: one is enough.
// The budget counts steps, so the answer is the same on every machine, and time and memory are
// bounded by it.
#pragma once

#include <unordered_set>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/attempt.h"
#include "core/framework/transaction.h"
#include "core/packing/packing.h"
#include "core/packing/search_budget.h"
#include "core/placement/early_members.h"
#include "core/placement/tightness.h"

namespace tutti::core {

// Pods of which `need` must be placed, all on nodes of `within`.
struct Lot {
  std::vector<PodId> members;
  std::size_t need = 0;
  const Bitset* within = nullptr;  // null: all nodes
};

class ExactSearch {
 public:
  ExactSearch(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
              SearchBudget& budget)
      : cluster_(cluster),
        evaluations_(evaluations),
        profile_(profile),
        budget_(budget),
        early_(cluster, evaluations, profile) {}

  // Places what every lot needs in the transaction (found), or leaves it as it was.
  Search run(Transaction& transaction, std::span<const Lot> lots);
  // After impossible: members that compete for too few nodes, if that is why.
  const Competition& competition() const { return competition_; }

 private:
  // Deeper recursion than this many members would endanger the stack. Depth first, more kinds of
  // pods than this would not keep their evaluations; members that only count have no such limit.
  static constexpr std::size_t kMembersMax = 4096;
  static constexpr std::size_t kKindsMax = 48;

  struct Class {
    std::vector<PodId> pods;
    const PodShape* shape = nullptr;
    std::size_t lot = 0;
    const Bitset* within = nullptr;
    std::size_t used = 0;  // pods placed or given up, from the front
    bool opens_later = false;
    Tightness tightness;
    // Classes whose pods can be the company that its affinity requires: it may come before them.
    std::vector<std::size_t> wanted = {};
    bool leads = false;  // wanted by others and needs nobody itself

    std::size_t left() const { return pods.size() - used; }
  };
  // Where the next pod of a class may go in the state being looked at.
  struct Choice {
    std::size_t which;
    std::vector<NodeId> nodes;
  };
  // Which nodes a class may be tried on: those that accept it, those that do not for want of
  // company and may when that comes, or both.
  enum class Entry : std::uint8_t { accepted, early, either };

  void sort_into_classes(std::span<const Lot> lots);
  void find_company();

  bool out_of_reach();
  std::size_t reach_of(const Class& each);
  std::optional<Search> pack(Transaction& transaction);
  std::vector<NodeId> bins_worth_keeping(std::span<const Bitset> accepted) const;
  PackingProblem packing_problem(std::span<const NodeId> bins,
                                 std::span<const Bitset> accepted) const;
  void note_competition(const Packing& packing, const PackingProblem& problem);
  Search place_in_order(Transaction& transaction);
  bool carry_out(Transaction& transaction, std::span<const NodeId> bins,
                 std::span<const std::vector<std::size_t>> placed);
  bool descend(Transaction& transaction, std::uint64_t state);
  bool go_on(Transaction& transaction, std::uint64_t state);
  bool place_next(Transaction& transaction, std::uint64_t state);
  bool place_someone(Transaction& transaction, std::uint64_t state);
  bool place_any(Transaction& transaction, std::vector<Choice> open, std::uint64_t state);
  bool bring_company(Transaction& transaction, const EarlyMembers::Wish& wish, std::uint64_t state);
  bool in_reach(std::span<const Choice> open) const;
  bool place_one(Transaction& transaction, const Choice& choice, std::uint64_t state);
  bool give_up_one(Transaction& transaction, std::size_t which, std::uint64_t state);
  std::vector<Choice> choices(Entry entry);
  std::vector<Choice> company_for(const EarlyMembers::Wish& wish);
  bool company_may_come(const EarlyMembers::Wish& wish);
  bool may_come_early(const Class& each) const;
  // Names in a state the class of a member that came before its company and is not settled. Where
  // no order is better than another, what is placed says who is.
  std::size_t digest_of_early(std::size_t which) const {
    return which + (any_order_ ? 0 : classes_.size());
  }
  Evaluation& evaluation(const Class& of);
  Bitset accepted_by(const Class& of);
  Bitset open_to(const Class& of, Entry entry);
  void moved(NodeId node);
  void drop_alike(std::vector<NodeId>& nodes, std::span<const Bitset> accepted) const;
  std::uint64_t look_of(NodeId node, std::span<const Bitset> accepted) const;

  Cluster& cluster_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  SearchBudget& budget_;
  bool independent_ = true;    // no class opens later: the order of placing does not matter
  bool alike_allowed_ = true;  // nodes may stand for each other: members ignore who is where
  bool countable_ = true;      // every class only counts
  bool company_ = false;       // some class may come before its company
  bool any_order_ = false;     // and nothing else makes the order of placing matter
  std::vector<Class> classes_;
  std::size_t kinds_ = 0;              // classes, whatever the lot
  std::vector<std::size_t> missing_;   // by lot
  std::vector<ResourceId> resources_;  // that any member asks for
  std::unordered_set<std::uint64_t> failed_;
  EarlyMembers early_;
  Competition competition_;
};

}  // namespace tutti::core
