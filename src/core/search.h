// ExactSearch: places enough members of a group, or proves that it cannot be done, for groups whose
// members differ or depend on each other, where trying them in order may miss a placement.
//
// Depth first over (class, node) pairs inside one transaction, hardest class first, tightest node
// first. What keeps it small:
//   - identical pods are one class, so only how many of it matters;
//   - nodes that look alike to every class left are tried once;
//   - a state is the multiset of placements, however it was reached; failed ones are remembered;
//   - a class without a node is written off when nothing placed later could open one for it.
// The budget counts looks, one per node considered for one class, so the answer is the same on
// every machine, and time and memory are bounded by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/attempt.h"
#include "core/cluster.h"
#include "core/evaluation.h"
#include "core/transaction.h"

namespace tutti::core {

// Room for pods of one class on the nodes that accept it one by one: how often its request fits.
// `counting`: what filters can count for themselves, devices for example, bounds it too.
std::size_t room_for(const Cluster& cluster, const PodShape& shape, const Bitset& nodes,
                     const Bitset* within, const Evaluation* counting = nullptr);

// Whether placing another pod can turn a node that refuses this shape into one that accepts it.
bool may_open_later(const PodShape& shape);

class ExactSearch {
 public:
  ExactSearch(Cluster& cluster, EvaluationCache& evaluations, const Profile& profile,
              const Bitset* within, std::size_t budget)
      : cluster_(cluster),
        evaluations_(evaluations),
        profile_(profile),
        within_(within),
        budget_(budget) {}

  // Places `need` of the members in the transaction (found), or leaves it as it was.
  Search run(Transaction& transaction, std::span<const PodId> members, std::size_t need);

 private:
  // Deeper recursion than this many members would endanger the stack; more classes than this would
  // not keep their evaluations.
  static constexpr std::size_t kMembersMax = 4096;
  static constexpr std::size_t kClassesMax = 48;

  struct Class {
    std::vector<PodId> pods;
    const PodShape* shape = nullptr;
    std::size_t used = 0;  // pods placed or given up, from the front
    bool opens_later = false;

    std::size_t left() const { return pods.size() - used; }
  };
  // Where the next pod of a class may go in the state being looked at.
  struct Choice {
    std::size_t which;
    std::vector<NodeId> nodes;
  };

  void sort_into_classes(std::span<const PodId> members);
  bool out_of_reach(std::size_t need);
  bool descend(Transaction& transaction, std::size_t missing, std::uint64_t state);
  bool place_one(Transaction& transaction, const Choice& choice, std::size_t missing,
                 std::uint64_t state);
  bool give_up_one(Transaction& transaction, std::size_t which, std::size_t missing,
                   std::uint64_t state);
  std::vector<Choice> choices();
  Evaluation& evaluation(const Class& of);
  std::vector<NodeId> tightest_first(const Class& of, const Bitset& nodes) const;
  void drop_alike(std::vector<NodeId>& nodes, std::span<const Bitset> accepted) const;
  std::int64_t slack(NodeId node, const PodShape& shape) const;

  Cluster& cluster_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  const Bitset* within_;
  std::size_t budget_;
  std::size_t looks_ = 0;
  bool independent_ = true;    // no class opens later: the order of placing does not matter
  bool alike_allowed_ = true;  // nodes may stand for each other: members ignore who is where
  std::vector<Class> classes_;
  std::vector<ResourceId> resources_;  // that any member asks for
  std::unordered_set<std::uint64_t> failed_;
};

}  // namespace tutti::core
