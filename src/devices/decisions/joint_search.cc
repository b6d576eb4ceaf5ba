#include "devices/decisions/joint_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
namespace tutti::devices {
namespace {

// How many devices are looked at for several claims chosen together.
constexpr std::size_t kStepsTogether = 50'000;
// More claims than this are not chosen anew together.
constexpr std::size_t kTogetherMax = 64;

}  // namespace

Problem JointSearch::problem_of(const Wanted& wanted, NodeIndex node) const {
  return {&tables_.plans.plan(wanted.plan), {node}, confined_.bounds_at(wanted.confinement, node)};
}

// Whoever holds it keeps it where it must be.
Problem JointSearch::problem_of(ClaimId id, const Wanted* wanted, NodeIndex node) const {
  const Claim& claim = tables_.claims[id];
  Problem problem{&tables_.plans.plan(claim.plan), {}};
  const auto add = [&](NodeIndex at, ConfinementId confinement) {
    if (std::ranges::find(problem.nodes, at) == problem.nodes.end()) problem.nodes.push_back(at);
    std::ranges::copy(confined_.bounds_at(confinement, at), std::back_inserter(problem.bounds));
  };
  if (wanted != nullptr) add(node, wanted->confinement);
  for (const Holder& holder : claim.holders) add(holder.node, holder.confinement);
  return problem;
}

Solution JointSearch::solve(NodeIndex node, std::span<const Wanted> wanted,
                            std::vector<ClaimId>& moved, Allocator::Order order,
                            std::span<const AttributeId> domains) {
  bool wide = false;
  moved.clear();
  for (const Wanted& want : wanted) {
    if (want.claim.valid() && tables_.claims[want.claim].movable()) moved.push_back(want.claim);
    wide = wide || reach_.may_go_wide(tables_.plans.plan(want.plan));
  }
  const bool whole = gather(node, moved, wide);
  std::vector<Problem> problems;
  for (const Wanted& want : wanted) {
    const bool granted = want.claim.valid() && tables_.claims[want.claim].granted;
    if (!granted) problems.push_back(problem_of(want, node));
  }
  if (moved.empty()) return {};
  for (const ClaimId id : moved) {
    const auto asked = std::ranges::find(wanted, id, &Wanted::claim);
    problems.push_back(problem_of(id, asked != wanted.end() ? &*asked : nullptr, node));
  }
  lift(moved);
  Solution solution =
      allocator_.solve(tables_.use.ledger(), problems, order, kStepsTogether, domains);
  if (!solution.found()) put_back(moved);
  if (!whole && solution.outcome == Solution::Outcome::impossible) {
    solution.outcome = Solution::Outcome::exhausted;
  }
  return solution;
}

bool JointSearch::gather(NodeIndex node, std::vector<ClaimId>& claims, bool wide) {
  add_movable_at(node, claims);
  const std::size_t at_node = claims.size();
  for (std::size_t i = 0; i < claims.size() && !wide; ++i) {
    wide = reach_.may_go_wide(tables_.plans.plan(tables_.claims[claims[i]].plan));
  }
  if (!wide) return true;
  for (const ClaimId id : movable_.all()) {
    if (std::ranges::find(claims, id) != claims.end()) continue;
    if (reach_.may_go_wide(tables_.plans.plan(tables_.claims[id].plan))) claims.push_back(id);
  }
  // Neighbours of those that may move, and theirs.
  for (std::size_t i = 0; i < claims.size() && claims.size() <= kTogetherMax; ++i) {
    for (const Holder& holder : tables_.claims[claims[i]].holders) {
      add_movable_at(holder.node, claims);
    }
  }
  if (claims.size() <= kTogetherMax) return true;
  claims.resize(at_node);
  return false;
}

void JointSearch::add_movable_at(NodeIndex node, std::vector<ClaimId>& claims) const {
  for (const ClaimId id : movable_.at(node)) {
    if (std::ranges::find(claims, id) == claims.end()) claims.push_back(id);
  }
}

void JointSearch::lift(std::span<const ClaimId> claims) {
  for (const ClaimId id : claims) {
    TUTTI_CHECK(tables_.claims[id].movable(), "what was handed to the cluster is chosen anew");
    tables_.use.give_back(tables_.claims[id].grant);
  }
}

void JointSearch::put_back(std::span<const ClaimId> claims) {
  for (const ClaimId id : claims) tables_.use.take(tables_.claims[id].grant);
}

}  // namespace tutti::devices
