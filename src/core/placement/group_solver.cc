#include "core/placement/group_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/check.h"
#include "core/cluster/confinement_scope.h"
#include "core/cluster/group_title.h"
#include "core/evaluation/counting.h"
#include "core/placement/fit_message.h"
#include "core/placement/member_facts.h"
#include "core/placement/placement_choice.h"
#include "core/topology/domains.h"

namespace tutti::core {

namespace {

// What trying a placement in which the group fits came to.
struct Tried {
  Solution solution;
  std::vector<ProposedPod> proposed;
};

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

// Visiting children one after another must leave budget for looking at all of them together.
constexpr std::size_t kVisitingParts = 4;

const Subtree* find_leaf(const Subtree& tree, GroupId leaf) {
  if (tree.group == leaf) return &tree;
  for (const auto& child : tree.children) {
    if (const Subtree* found = find_leaf(child, leaf)) return found;
  }
  return nullptr;
}

}  // namespace

Solution GroupSolver::solve(Transaction& transaction, const Subtree& tree, const Bitset* within) {
  SearchBudget budget(search_budget_);
  if (!tree.group.valid() || !groups_[tree.group].composite) {
    return visit(transaction, tree, within, budget);
  }
  const Task task = make_task(cluster_, groups_, evaluations_.topology(), tree);
  if (const PluginStatus verdict = objection(tree, task); !verdict.success()) {
    return refusal(tree, verdict);
  }
  Solution solution = visit(transaction, tree, within, budget);
  const bool decided = solution.code != Code::unschedulable || solution.refused_by.has_value();
  if (decided || !task.waits()) return solution;
  return search_jointly(transaction, tree, task, within, budget, std::move(solution));
}

// Visiting ends early where too few children are left, and may not come to the one that is wrong.
PluginStatus GroupSolver::objection(const Subtree& tree, const Task& task) {
  if (profile_.placement_generate.empty()) return {};
  if (PluginStatus verdict = objection_to_requests(tree); !verdict.success()) return verdict;
  const Status running = check_running(cluster_, task);
  if (running.ok()) return {};
  return profile_.said_by_generator({Code::error, {}, running.error().message});
}

PluginStatus GroupSolver::objection_to_requests(const Subtree& tree) {
  for (const auto& child : tree.children) {
    if (PluginStatus verdict = objection_to_requests(child); !verdict.success()) return verdict;
  }
  const auto request = request_of(tree);
  if (!request.ok()) return {Code::error, {}, request.error().message};
  if (request->none() || request->unconstrained) return {};
  const Levels& levels = evaluations_.topology().levels(cluster_, *request);
  return levels.verdict.code == Code::error ? objection_of(profile_, levels) : PluginStatus{};
}

// --- one after another ---------------------------------------------------------------------------

Solution GroupSolver::visit(Transaction& transaction, const Subtree& tree, const Bitset* within,
                            SearchBudget& budget) {
  if (!tree.group.valid() || profile_.placement_generate.empty()) {
    return visit_in(transaction, tree, within, budget);
  }
  const auto generated = profile_.placement_generate.front()->generate(
      cluster_, groups_, tree.group, within != nullptr ? *within : cluster_.nodes().live());
  if (!generated.verdict.success() || generated.placements.empty()) {
    PluginStatus verdict = profile_.said_by_generator(generated.verdict);
    if (verdict.reason.empty()) verdict.reason = "no placement exists for the group";
    return refusal(tree, verdict);
  }
  // An unconstrained group keeps the nodes of whoever asked.
  if (generated.placements.size() == 1 && generated.placements.front().key.empty()) {
    return visit_in(transaction, tree, within, budget);
  }
  return choose(transaction, tree, generated.placements, budget);
}

Solution GroupSolver::choose(Transaction& transaction, const Subtree& tree,
                             const std::vector<Placement>& placements, SearchBudget& budget) {
  if (const auto request = request_of(tree); request.ok() && request->none()) {
    if (auto counted = choose_counted(transaction, tree, placements, budget)) {
      return *std::move(counted);
    }
  }
  return choose_tried(transaction, tree, placements, budget);
}

// Nothing when members must be tried to know how many fit.
std::optional<Solution> GroupSolver::choose_counted(Transaction& transaction, const Subtree& tree,
                                                    const std::vector<Placement>& placements,
                                                    SearchBudget& budget) {
  if (groups_[tree.group].composite) return std::nullopt;
  auto choice = choose_by_counting(cluster_, groups_, evaluations_, profile_, tree, placements);
  if (!choice) return std::nullopt;
  const auto start = transaction.checkpoint();
  const Placement& taken = placements[choice->best.value_or(0)];
  const ConfinementScope scope(cluster_, tree.members, taken.confinement);
  Solution solution = visit_in(transaction, tree, &taken.nodes, budget);
  if (solution.code == Code::error) return solution;
  // A plugin may object to what was counted.
  if (solution.success() != choice->best.has_value() ||
      transaction.checkpoint() - start != choice->fit) {
    transaction.roll_back(start);
    return std::nullopt;
  }
  if (solution.success()) return settled(std::move(solution), taken, std::move(choice->reports));
  return refused(std::move(solution), placements, std::move(choice->reports));
}

// Tries every placement from the same state and keeps the best feasible one.
Solution GroupSolver::choose_tried(Transaction& transaction, const Subtree& tree,
                                   const std::vector<Placement>& placements, SearchBudget& budget) {
  std::vector<RankedPlacement> candidates;
  std::vector<Tried> tried;
  std::vector<PlacementReport> reports;
  std::optional<Solution> failure;
  const std::vector<PodId> members = members_of(tree);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto start = transaction.checkpoint();
    const ConfinementScope scope(cluster_, members, placements[i].confinement);
    const SearchBudget granted = budget.part(placements.size() - i);
    SearchBudget part = granted;
    Solution solution = visit_in(transaction, tree, &placements[i].nodes, part);
    budget.settle(granted, part);
    if (solution.code == Code::error) return solution;
    reports.push_back(report_on(placements[i], solution));
    if (solution.success()) {
      const auto proposed = transaction.placed(start);
      candidates.push_back(
          {i, held(tree, placements[i], proposed.size()), scores(tree, placements[i], proposed)});
      tried.push_back({std::move(solution), {proposed.begin(), proposed.end()}});
    } else if (!failure) {
      failure = std::move(solution);
    }
    transaction.roll_back(start);
  }
  TUTTI_CHECK(candidates.size() == tried.size());
  TUTTI_CHECK(!candidates.empty() || failure, "there are placements, and none was tried");
  if (candidates.empty()) return refused(*std::move(failure), placements, std::move(reports));
  const std::size_t best = best_of(profile_, candidates);
  const ConfinementScope scope(cluster_, members,
                               placements[candidates[best].placement].confinement);
  for (const auto& [pod, node] : tried[best].proposed) {
    TUTTI_CHECK(transaction.place(pod, node, profile_).success(), "a placement fitted only once");
  }
  return settled(std::move(tried[best].solution), placements[candidates[best].placement],
                 std::move(reports));
}

// How much of a basic group's declared size the placement would hold with these in place.
std::size_t GroupSolver::held(const Subtree& tree, const Placement& placement, std::size_t placed) {
  const Group& group = groups_[tree.group];
  if (group.composite || group.spec().policy.gang || tree.members.empty()) return 0;
  const std::size_t size = declared_size(cluster_, group);
  TUTTI_CHECK(size >= group.scheduled_count(), "more run than were declared");
  const std::size_t declared = size - group.scheduled_count();
  const PodClass pods = cluster_.class_of(tree.members.front());
  const std::size_t more = room_for(cluster_, cluster_.shape(pods.shape),
                                    evaluations_.get(profile_, pods).feasible(), &placement.nodes);
  return std::min(placed + more, declared);
}

Solution GroupSolver::settled(Solution solution, const Placement& taken,
                              std::vector<PlacementReport> reports) const {
  solution.placement = taken.key + "=" + taken.value;
  solution.placements = std::move(reports);
  for (auto& leaf : solution.leaves) leaf.attempt.placement = solution.placement;
  return solution;
}

// `failure` is what the first of the placements came to.
Solution GroupSolver::refused(Solution failure, const std::vector<Placement>& placements,
                              std::vector<PlacementReport> reports) const {
  TUTTI_CHECK(!placements.empty(), "no placement is another refusal");
  const Placement& first = placements.front();
  failure.message =
      fmt::format("none of the {} domains of {} can hold the group; {}={}: {}", placements.size(),
                  first.key, first.key, first.value, failure.message);
  failure.placements = std::move(reports);
  return failure;
}

std::vector<std::int64_t> GroupSolver::scores(const Subtree& tree, const Placement& placement,
                                              std::span<const ProposedPod> proposed) const {
  std::vector<std::int64_t> raw;
  for (const auto& plugin : profile_.placement_score) {
    raw.push_back(plugin->score(cluster_, groups_, tree.group, placement, proposed));
  }
  return raw;
}

Result<TopologyRequest> GroupSolver::request_of(const Subtree& tree) const {
  if (!tree.group.valid() || groups_[tree.group].composite || profile_.placement_generate.empty()) {
    return TopologyRequest{};
  }
  return core::request_of(cluster_, groups_, tree);
}

Solution GroupSolver::visit_in(Transaction& transaction, const Subtree& tree, const Bitset* within,
                               SearchBudget& budget) {
  const bool composite = tree.group.valid() && groups_[tree.group].composite;
  return composite ? visit_composite(transaction, tree, within, budget)
                   : visit_leaf(transaction, tree, within, budget);
}

Solution GroupSolver::visit_leaf(Transaction& transaction, const Subtree& tree,
                                 const Bitset* within, SearchBudget& budget) {
  const auto request = request_of(tree);
  if (!request.ok()) return refusal(tree, {Code::error, {}, request.error().message});
  if (!request->none()) {
    return request_solver_.solve(transaction, tree, *request,
                                 within != nullptr ? *within : cluster_.nodes().live(), budget);
  }
  Solution solution;
  solution.leaves.push_back(
      leaf_solver_.solve(transaction, tree.group, tree.members, within, budget));
  solution.code = solution.leaves.front().attempt.code;
  solution.message = solution.leaves.front().attempt.message;
  return solution;
}

Solution GroupSolver::visit_composite(Transaction& transaction, const Subtree& tree,
                                      const Bitset* within, SearchBudget& budget) {
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
    const SearchBudget granted = budget.part(kVisitingParts * tree.children.size());
    SearchBudget part = granted;
    Solution below = visit(transaction, child, within, part);
    budget.settle(granted, part);
    if (below.code == Code::error) {
      below.leaves.clear();
      refuse_leaves(tree, Code::error, below.message, below.leaves);
      return below;
    }
    TUTTI_CHECK(remaining > 0, "a child is visited once");
    --remaining;
    // A child whose running members suffice stands, whatever becomes of those that wait.
    if (below.success() || groups_.satisfied(child.group)) ++standing;
    if (!below.success() && first_failure.empty()) first_failure = below.message;
    if (below.leaves.size() == 1) {
      below.leaves.front().attempt.placements = std::move(below.placements);
    }
    std::ranges::move(below.leaves, std::back_inserter(solution.leaves));
    state = feasibility(profile_, groups_, tree.group, standing, remaining);
  }
  if (state == Feasibility::feasible) {
    // As with a leaf: nothing new placed is no success while somebody waits.
    const bool grew = transaction.checkpoint() != start || first_failure.empty();
    solution.code = grew ? Code::success : Code::unschedulable;
    if (!grew) solution.message = std::move(first_failure);
    return solution;
  }
  transaction.roll_back(start);
  const Group& group = groups_[tree.group];
  solution.message = fmt::format("{} of {} needed child groups of {} fit{}{}", standing,
                                 group.spec().policy.minimum, title_of(group),
                                 first_failure.empty() ? "" : "; ", first_failure);
  for (auto& leaf : solution.leaves) {
    const bool own_reason = leaf.attempt.code != Code::success && !leaf.attempt.message.empty();
    if (own_reason) continue;
    leaf.attempt.code = Code::unschedulable;
    leaf.attempt.message = solution.message;
    leaf.unplaced.clear();
    const Subtree* its = find_leaf(tree, leaf.leaf);
    TUTTI_CHECK(its != nullptr, "a result of a group outside the tree");
    for (const PodId pod : its->members) leaf.unplaced.push_back({pod});
  }
  return solution;
}

// --- all together --------------------------------------------------------------------------------

Solution GroupSolver::search_jointly(Transaction& transaction, const Subtree& tree,
                                     const Task& root, const Bitset* within, SearchBudget& budget,
                                     Solution failed) {
  TreeSearch search(cluster_, groups_, evaluations_, profile_, budget);
  const Search answer =
      search.run(transaction, root, within != nullptr ? *within : cluster_.nodes().live());
  if (answer != Search::found) {
    for (auto& leaf : failed.leaves) leaf.attempt.search = answer;
    if (answer == Search::exhausted) failed.message += kBudgetEnded;
    return failed;
  }
  Solution solution;
  solution.code = Code::success;
  complete(transaction, tree, root, search, within, budget, solution);
  for (auto& leaf : solution.leaves) leaf.attempt.search = Search::found;
  solution.placement =
      placement_text(cluster_, groups_[tree.group].spec().topology_key, members_of(tree));
  solution.placements = std::move(failed.placements);
  return solution;
}

// Results of what the search placed; groups and members it left out come along as they fit.
void GroupSolver::complete(Transaction& transaction, const Subtree& tree, const Task& task,
                           const TreeSearch& search, const Bitset* around, SearchBudget& budget,
                           Solution& into) {
  const Bitset* area = search.area_of(task);
  const ConfinementScope scope(cluster_, members_of(tree), search.confinement_of(task));
  if (area == nullptr) {
    std::ranges::move(visit(transaction, tree, around, budget).leaves,
                      std::back_inserter(into.leaves));
  } else if (groups_[tree.group].composite) {
    TUTTI_CHECK(task.children.size() == tree.children.size(), "a task for every child");
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      complete(transaction, tree.children[i], task.children[i], search, area, budget, into);
    }
  } else {
    into.leaves.push_back(complete_leaf(transaction, tree, task, search, budget));
    into.leaves.back().attempt.placement =
        placement_text(cluster_, groups_[tree.group].spec().topology_key, members_of(tree));
  }
}

// Members beyond the minimum join where the others are; of slices only whole ones were placed.
LeafResult GroupSolver::complete_leaf(Transaction& transaction, const Subtree& leaf,
                                      const Task& task, const TreeSearch& search,
                                      SearchBudget& budget) {
  const Task* innermost = &task;
  while (innermost->inner && innermost->children.size() == 1) innermost = &innermost->children[0];
  if (!innermost->inner) {
    const ConfinementScope scope(cluster_, leaf.members, search.confinement_of(*innermost));
    return leaf_solver_.complete(transaction, leaf.group, leaf.members, search.area_of(*innermost),
                                 &budget);
  }
  return leaf_solver_.complete(
      leaf.group, leaf.members,
      profile_.said_by_generator(
          {Code::unschedulable, {}, "its slice was not needed for the minimum"}));
}

}  // namespace tutti::core
