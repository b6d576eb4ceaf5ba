#include "core/group_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/check.h"

namespace tutti::core {

// A placement in which the group fits.
struct GroupSolver::Candidate {
  std::size_t placement;
  Solution solution;
  std::vector<ProposedPod> proposed;
  std::vector<std::int64_t> raw_scores;  // by PlacementScore plugin
};

namespace {

PlacementReport report_on(const Placement& placement, const Solution& solution) {
  PlacementReport report{placement.key, placement.value, 0, 0, {}};
  for (const auto& leaf : solution.leaves) {
    report.fit += leaf.attempt.running + leaf.attempt.placed;
    report.needed += leaf.attempt.minimum;
    for (const auto& each : leaf.attempt.classes) {
      const auto& reasons = each.diagnosis.reasons;
      report.reasons.insert(report.reasons.end(), reasons.begin(), reasons.end());
    }
  }
  return report;
}

const Subtree* find_leaf(const Subtree& tree, GroupId leaf) {
  if (tree.group == leaf) return &tree;
  for (const auto& child : tree.children) {
    if (const Subtree* found = find_leaf(child, leaf)) return found;
  }
  return nullptr;
}

}  // namespace

void refuse_leaves(const Subtree& tree, Code code, const std::string& message,
                   std::vector<LeafResult>& leaves) {
  for (const auto& child : tree.children) refuse_leaves(child, code, message, leaves);
  if (tree.members.empty()) return;
  LeafResult refused;
  refused.leaf = tree.group;
  refused.attempt.code = code;
  refused.attempt.message = message;
  refused.attempt.tried = tree.members.size();
  for (const PodId pod : tree.members) refused.unplaced.push_back({pod});
  leaves.push_back(std::move(refused));
}

Solution GroupSolver::solve(Transaction& transaction, const Subtree& tree, const Bitset* within) {
  if (!tree.group.valid() || profile_.placement_generate.empty()) {
    return solve_in(transaction, tree, within);
  }
  const auto generated = profile_.placement_generate.front()->generate(
      cluster_, groups_, tree.group, within != nullptr ? *within : cluster_.live_nodes());
  if (!generated.verdict.success() || generated.placements.empty()) {
    Solution refused;
    if (generated.verdict.code == Code::error) refused.code = Code::error;
    refused.message = generated.verdict.reason.empty() ? "no placement exists for the group"
                                                       : generated.verdict.reason;
    refuse_leaves(tree, refused.code, refused.message, refused.leaves);
    return refused;
  }
  // An unconstrained group keeps the nodes of whoever asked.
  if (generated.placements.size() == 1 && generated.placements.front().key.empty()) {
    return solve_in(transaction, tree, within);
  }
  return choose(transaction, tree, generated.placements);
}

// Tries every placement from the same state and keeps the best feasible one.
Solution GroupSolver::choose(Transaction& transaction, const Subtree& tree,
                             const std::vector<Placement>& placements) {
  std::vector<Candidate> candidates;
  std::vector<PlacementReport> reports;
  std::optional<Solution> failure;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto start = transaction.checkpoint();
    Solution solution = solve_in(transaction, tree, &placements[i].nodes);
    if (solution.code == Code::error) return solution;
    reports.push_back(report_on(placements[i], solution));
    if (solution.success()) {
      const auto proposed = transaction.placed(start);
      auto raw = scores(tree, placements[i], proposed);
      candidates.push_back(
          {i, std::move(solution), {proposed.begin(), proposed.end()}, std::move(raw)});
    } else if (!failure) {
      failure = std::move(solution);
    }
    transaction.roll_back(start);
  }
  const std::string& key = placements.front().key;
  if (candidates.empty()) {
    failure->message =
        fmt::format("none of the {} domains of {} can hold the group; {}={}: {}", placements.size(),
                    key, key, placements.front().value, failure->message);
    failure->placements = std::move(reports);
    return *std::move(failure);
  }
  Candidate& chosen = candidates[best_of(candidates)];
  for (const auto& [pod, node] : chosen.proposed) {
    TUTTI_CHECK(transaction.place(pod, node, profile_).success(), "a placement fitted only once");
  }
  Solution solution = std::move(chosen.solution);
  solution.placement = key + "=" + placements[chosen.placement].value;
  solution.placements = std::move(reports);
  for (auto& leaf : solution.leaves) leaf.attempt.placement = solution.placement;
  return solution;
}

std::vector<std::int64_t> GroupSolver::scores(const Subtree& tree, const Placement& placement,
                                              std::span<const ProposedPod> proposed) const {
  std::vector<std::int64_t> raw;
  for (const auto& plugin : profile_.placement_score) {
    raw.push_back(plugin->score(cluster_, groups_, tree.group, placement, proposed));
  }
  return raw;
}

// The highest weighted sum; ties go to the first, in order of domain names.
std::size_t GroupSolver::best_of(const std::vector<Candidate>& candidates) const {
  std::vector<std::int64_t> totals(candidates.size(), 0);
  for (std::size_t s = 0; s < profile_.placement_score.size(); ++s) {
    const auto& plugin = profile_.placement_score[s];
    std::int64_t max = 0;
    for (const auto& candidate : candidates) max = std::max(max, candidate.raw_scores[s]);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      totals[c] += plugin.weight * plugin->normalize(candidates[c].raw_scores[s], max);
    }
  }
  return static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
}

Solution GroupSolver::solve_in(Transaction& transaction, const Subtree& tree,
                               const Bitset* within) {
  const bool composite = tree.group.valid() && groups_[tree.group].composite;
  return composite ? solve_composite(transaction, tree, within)
                   : solve_leaf(transaction, tree, within);
}

Solution GroupSolver::solve_leaf(Transaction& transaction, const Subtree& tree,
                                 const Bitset* within) {
  Solution solution;
  solution.leaves.push_back(leaf_solver_.solve(transaction, tree.group, tree.members, within));
  solution.code = solution.leaves.front().attempt.code;
  solution.message = solution.leaves.front().attempt.message;
  return solution;
}

Solution GroupSolver::solve_composite(Transaction& transaction, const Subtree& tree,
                                      const Bitset* within) {
  Solution solution;
  const auto start = transaction.checkpoint();
  std::size_t standing = 0;
  std::size_t remaining = tree.children.size();
  Feasibility state = feasibility(profile_, groups_, tree.group, standing, remaining);
  std::string first_failure;
  for (const auto& child : tree.children) {
    if (state == Feasibility::infeasible) {
      refuse_leaves(child, Code::unschedulable, {}, solution.leaves);
      continue;
    }
    Solution below = solve(transaction, child, within);
    if (below.code == Code::error) {
      below.leaves.clear();
      refuse_leaves(tree, Code::error, below.message, below.leaves);
      return below;
    }
    --remaining;
    // A child whose running members suffice stands, whatever becomes of those that wait.
    if (below.success() || groups_.satisfied(child.group)) ++standing;
    if (!below.success() && first_failure.empty()) first_failure = below.message;
    std::ranges::move(below.leaves, std::back_inserter(solution.leaves));
    state = feasibility(profile_, groups_, tree.group, standing, remaining);
  }
  if (state == Feasibility::feasible) {
    solution.code = Code::success;
    return solution;
  }
  transaction.roll_back(start);
  const Group& group = groups_[tree.group];
  solution.message = fmt::format("{} of {} needed child groups of {}/{} fit{}{}", standing,
                                 group.spec().policy.minimum, group.ns, group.name,
                                 first_failure.empty() ? "" : "; ", first_failure);
  for (auto& leaf : solution.leaves) {
    const bool own_reason = leaf.attempt.code != Code::success && !leaf.attempt.message.empty();
    if (own_reason) continue;
    leaf.attempt.code = Code::unschedulable;
    leaf.attempt.message = solution.message;
    leaf.unplaced.clear();
    for (const PodId pod : find_leaf(tree, leaf.leaf)->members) leaf.unplaced.push_back({pod});
  }
  return solution;
}

}  // namespace tutti::core
