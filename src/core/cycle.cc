#include "core/cycle.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/agreement.h"
#include "core/group_solver.h"

namespace tutti::core {
namespace {

using MembersByLeaf = std::map<GroupId, std::vector<Member>>;

// Priority down, attempts down, time up, name up: total, so input order never shows.
std::vector<PodId> in_order(const Cluster& cluster, std::vector<Member> members) {
  std::ranges::sort(members, [&](const Member& a, const Member& b) {
    const auto rank = [&](const Member& member) {
      const model::Pod& pod = *cluster.pod(member.pod).object;
      return std::tuple(-std::int64_t{pod.priority.value_or(0)}, -std::int64_t{member.attempts},
                        member.added, std::string_view(pod.meta.name));
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

// The entity's attempt out of its leaves'.
Attempt summary_of(const Solution& solution, std::size_t tried, Instant now) {
  Attempt attempt;
  attempt.at = now;
  attempt.code = solution.code;
  attempt.message = solution.message;
  attempt.tried = tried;
  attempt.placements = solution.placements;
  attempt.placement = solution.placement;
  attempt.refused_by = solution.refused_by;
  for (const auto& leaf : solution.leaves) {
    attempt.minimum += leaf.attempt.minimum;
    attempt.running += leaf.attempt.running;
    attempt.placed += leaf.attempt.placed;
    attempt.search = std::max(attempt.search, leaf.attempt.search);
    attempt.classes.insert(attempt.classes.end(), leaf.attempt.classes.begin(),
                           leaf.attempt.classes.end());
  }
  return attempt;
}

}  // namespace

Subtree Cycle::tree_of(const Entity& entity,
                       const std::unordered_map<PodId, GroupId>& leaf_of) const {
  MembersByLeaf by_leaf;
  for (const auto& [pod, member] : entity.members) {
    by_leaf[entity.lone() ? GroupId{} : leaf_of.at(pod)].push_back(member);
  }
  return grow(cluster_, groups_, entity.root, by_leaf);
}

CycleResult Cycle::run(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of,
                       Instant now) {
  const Subtree tree = tree_of(entity, leaf_of);
  Transaction transaction(cluster_);
  Solution solution = solve(transaction, entity, tree);

  CycleResult result;
  result.attempt = summary_of(solution, entity.members.size(), now);
  result.leaves = std::move(solution.leaves);
  for (auto& leaf : result.leaves) leaf.attempt.at = now;
  if (solution.success()) {
    const auto placed = transaction.placed();
    result.placed.assign(placed.begin(), placed.end());
    transaction.commit();
  } else if (entity.lone() && solution.code == Code::unschedulable) {
    result.rejected_by =
        evaluations_.get(*entity.profile, cluster_.class_of(entity.pod)).rejecting_plugins();
  }
  return result;
}

Solution Cycle::solve(Transaction& transaction, const Entity& entity, const Subtree& tree) {
  Solution solution;
  if (solution.message = disagreement(cluster_, groups_, entity); !solution.message.empty()) {
    solution.code = Code::error;
    refuse_leaves(tree, solution.code, solution.message, solution.leaves);
    return solution;
  }
  const auto& own = entity.profile->topology.search_budget;
  GroupSolver solver(cluster_, groups_, evaluations_, *entity.profile,
                     own ? static_cast<std::size_t>(*own) : search_budget_);
  const auto before = transaction.checkpoint();
  solution = solver.solve(transaction, tree, nullptr);
  if (solution.success() && transaction.checkpoint() == before) solution.code = Code::unschedulable;
  return solution;
}

}  // namespace tutti::core
