#include "core/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/check.h"
#include "core/fit_message.h"
#include "core/search.h"

namespace tutti::core {

// A group with the members of it that take part in the attempt.
struct Cycle::Subtree {
  GroupId group;               // invalid for a lone pod
  std::vector<PodId> members;  // of a leaf, in the order they are tried
  std::vector<Subtree> children;

  bool leaf() const { return children.empty(); }
  std::size_t waiting() const {
    std::size_t total = members.size();
    for (const auto& child : children) total += child.waiting();
    return total;
  }
};

// What solving a subtree came to. On success the transaction holds its placements.
struct Cycle::Solution {
  Code code = Code::unschedulable;
  std::string message;
  std::vector<LeafResult> leaves;
  std::vector<PlacementReport> placements;
  std::string placement;

  bool success() const { return code == Code::success; }
  std::size_t placed() const {
    std::size_t total = 0;
    for (const auto& leaf : leaves) total += leaf.attempt.placed;
    return total;
  }
};

namespace {

std::string_view scheduler_of(const model::Pod& pod) {
  const std::string& name = pod.spec->scheduler_name;
  return name.empty() ? std::string_view("default-scheduler") : std::string_view(name);
}

std::string pod_name(const Cluster& cluster, PodId pod) {
  const auto& meta = cluster.pod(pod).object->meta;
  return meta.ns + "/" + meta.name;
}

}  // namespace

CycleResult Cycle::run(const Entity& entity, const std::unordered_map<PodId, GroupId>& leaf_of,
                       Instant now) {
  profile_ = entity.profile;
  CycleResult result;
  result.attempt.at = now;
  result.attempt.tried = entity.members.size();

  std::map<GroupId, std::vector<Member>> by_leaf;
  for (const auto& [pod, member] : entity.members) {
    by_leaf[entity.lone() ? GroupId{} : leaf_of.at(pod)].push_back(member);
  }
  const std::function<Subtree(GroupId)> grow = [&](GroupId group) {
    Subtree tree{group, {}, {}};
    if (group.valid() && groups_[group].composite) {
      for (const GroupId child : groups_[group].children) tree.children.push_back(grow(child));
    } else if (const auto at = by_leaf.find(group); at != by_leaf.end()) {
      tree.members = in_order(at->second);
    }
    return tree;
  };
  const Subtree tree = grow(entity.root);

  Solution solution;
  Transaction transaction(cluster_);
  if (solution.message = disagreement(entity); !solution.message.empty()) {
    solution.code = Code::error;
  } else {
    solution = solve(transaction, tree, nullptr);
    if (solution.success() && transaction.checkpoint() == 0) solution.code = Code::unschedulable;
  }

  result.attempt.code = solution.code;
  result.attempt.message = solution.message;
  result.attempt.placements = std::move(solution.placements);
  result.attempt.placement = solution.placement;
  result.leaves = std::move(solution.leaves);
  if (result.leaves.empty()) {
    for (const auto& [leaf, members] : by_leaf) {
      LeafResult failed{leaf, {}, {}};
      failed.attempt = result.attempt;
      for (const auto& member : members) failed.unplaced.push_back({member.pod});
      result.leaves.push_back(std::move(failed));
    }
  }
  for (auto& leaf : result.leaves) {
    leaf.attempt.at = now;
    result.attempt.minimum += leaf.attempt.minimum;
    result.attempt.running += leaf.attempt.running;
    result.attempt.placed += leaf.attempt.placed;
    result.attempt.search = std::max(result.attempt.search, leaf.attempt.search);
    for (const auto& report : leaf.attempt.classes) result.attempt.classes.push_back(report);
  }
  if (solution.success()) {
    const auto placed = transaction.placed();
    result.placed.assign(placed.begin(), placed.end());
    transaction.commit();
  } else if (entity.lone() && solution.code == Code::unschedulable) {
    result.rejected_by =
        evaluations_.get(*profile_, cluster_.class_of(entity.pod)).rejecting_plugins();
  }
  return result;
}

// Why the members cannot be tried together, or empty.
std::string Cycle::disagreement(const Entity& entity) const {
  if (entity.lone()) return {};
  std::vector<PodId> everyone;
  for (const auto& [pod, member] : entity.members) everyone.push_back(pod);
  for (const GroupId leaf : groups_.leaves(entity.root)) {
    const Group& group = groups_[leaf];
    everyone.insert(everyone.end(), group.assumed.begin(), group.assumed.end());
    everyone.insert(everyone.end(), group.assigned.begin(), group.assigned.end());
  }
  const model::Pod& first = *cluster_.pod(everyone.front()).object;
  for (const PodId pod : everyone) {
    const model::Pod& other = *cluster_.pod(pod).object;
    if (scheduler_of(other) != scheduler_of(first)) {
      return fmt::format("members name different schedulers: pod {}/{} '{}', pod {}/{} '{}'",
                         first.meta.ns, first.meta.name, scheduler_of(first), other.meta.ns,
                         other.meta.name, scheduler_of(other));
    }
    if (auto problem = priority_disagreement(groups_[entity.root], pod); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string Cycle::priority_disagreement(const Group& root, PodId pod) const {
  if (root.pod_group && model::members_may_differ_in_priority(*root.pod_group)) return {};
  const model::Pod& object = *cluster_.pod(pod).object;
  if (object.priority.value_or(0) != root.priority()) {
    return fmt::format("pod {} has priority {}, its group {}/{} has {}: they must be equal",
                       pod_name(cluster_, pod), object.priority.value_or(0), root.ns, root.name,
                       root.priority());
  }
  constexpr auto kDefault = model::PreemptionPolicy::preempt_lower_priority;
  if (object.preemption_policy.value_or(kDefault) !=
      root.spec().preemption_policy.value_or(kDefault)) {
    return fmt::format("pod {} and its group {}/{} differ in preemptionPolicy",
                       pod_name(cluster_, pod), root.ns, root.name);
  }
  return {};
}

// Priority down, attempts down, time up, name up: total, so input order never shows.
std::vector<PodId> Cycle::in_order(const std::vector<Member>& members) const {
  std::vector<Member> sorted = members;
  std::ranges::sort(sorted, [&](const Member& a, const Member& b) {
    const auto rank = [&](const Member& member) {
      const model::Pod& pod = *cluster_.pod(member.pod).object;
      return std::tuple(-std::int64_t{pod.priority.value_or(0)}, -std::int64_t{member.attempts},
                        member.added, std::string_view(pod.meta.name));
    };
    return rank(a) < rank(b);
  });
  std::vector<PodId> pods;
  pods.reserve(sorted.size());
  for (const Member& member : sorted) pods.push_back(member.pod);
  return pods;
}

Cycle::Solution Cycle::solve(Transaction& transaction, const Subtree& tree, const Bitset* within) {
  if (!tree.group.valid() || profile_->placement_generate.empty()) {
    return solve_in(transaction, tree, within);
  }
  auto generated = profile_->placement_generate.front()->generate(
      cluster_, groups_, tree.group, within != nullptr ? *within : cluster_.live_nodes());
  if (!generated.verdict.success() || generated.placements.empty()) {
    Solution refused;
    refused.code = generated.verdict.code == Code::error ? Code::error : Code::unschedulable;
    refused.message = generated.verdict.reason.empty() ? "no placement exists for the group"
                                                       : std::move(generated.verdict.reason);
    return refused;
  }
  // An unconstrained group keeps the nodes of whoever asked.
  if (generated.placements.size() == 1 && generated.placements.front().key.empty()) {
    return solve_in(transaction, tree, within);
  }
  return choose(transaction, tree, generated.placements);
}

// Tries every placement from the same state and keeps the best feasible one; ties go to the first
// in order of domain names.
Cycle::Solution Cycle::choose(Transaction& transaction, const Subtree& tree,
                              const std::vector<Placement>& placements) {
  struct Candidate {
    std::size_t placement;
    Solution solution;
    std::vector<ProposedPod> proposed;
    std::vector<std::int64_t> raw;
  };
  std::vector<Candidate> candidates;
  Solution failure;
  std::vector<PlacementReport> reports;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto start = transaction.checkpoint();
    Solution solution = solve_in(transaction, tree, &placements[i].nodes);
    if (solution.code == Code::error) return solution;
    PlacementReport report{placements[i].key, placements[i].value, 0, 0, {}};
    for (const auto& leaf : solution.leaves) {
      report.fit += leaf.attempt.running + leaf.attempt.placed;
      report.needed += leaf.attempt.minimum;
      for (const auto& each : leaf.attempt.classes) {
        report.reasons.insert(report.reasons.end(), each.diagnosis.reasons.begin(),
                              each.diagnosis.reasons.end());
      }
    }
    reports.push_back(std::move(report));
    if (solution.success()) {
      const auto proposed = transaction.placed(start);
      Candidate candidate{i, std::move(solution), {proposed.begin(), proposed.end()}, {}};
      for (std::size_t s = 0; s < profile_->placement_score.size(); ++s) {
        candidate.raw.push_back(placement_score(tree, placements[i], candidate.proposed, s));
      }
      candidates.push_back(std::move(candidate));
    } else if (failure.leaves.empty()) {
      failure = std::move(solution);
    }
    transaction.roll_back(start);
  }
  if (candidates.empty()) {
    failure.message = fmt::format("none of the {} domains of {} can hold the group; {}={}: {}",
                                  placements.size(), placements.front().key, placements.front().key,
                                  placements.front().value, failure.message);
    failure.placements = std::move(reports);
    return failure;
  }
  std::vector<std::int64_t> totals(candidates.size(), 0);
  for (std::size_t s = 0; s < profile_->placement_score.size(); ++s) {
    const auto& scorer = profile_->placement_score[s];
    std::int64_t max = 0;
    for (const auto& candidate : candidates) max = std::max(max, candidate.raw[s]);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      totals[c] += scorer.weight * scorer->normalize(candidates[c].raw[s], max);
    }
  }
  const auto winner = static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
  Candidate& chosen = candidates[winner];
  for (const auto& [pod, node] : chosen.proposed) {
    TUTTI_CHECK(transaction.place(pod, node, *profile_).success(), "a placement fitted only once");
  }
  const Placement& placement = placements[chosen.placement];
  chosen.solution.placement = placement.key + "=" + placement.value;
  chosen.solution.placements = std::move(reports);
  for (auto& leaf : chosen.solution.leaves) leaf.attempt.placement = chosen.solution.placement;
  return std::move(chosen.solution);
}

std::int64_t Cycle::placement_score(const Subtree& tree, const Placement& placement,
                                    std::span<const ProposedPod> proposed,
                                    std::size_t scorer) const {
  return profile_->placement_score[scorer]->score(cluster_, groups_, tree.group, placement,
                                                  proposed);
}

Cycle::Solution Cycle::solve_in(Transaction& transaction, const Subtree& tree,
                                const Bitset* within) {
  const bool composite = tree.group.valid() && groups_[tree.group].composite;
  return composite ? solve_composite(transaction, tree, within)
                   : solve_leaf(transaction, tree, within);
}

Feasibility Cycle::feasibility(const Subtree& tree, std::size_t scheduled,
                               std::size_t remaining) const {
  if (!tree.group.valid()) {
    return scheduled > 0 ? Feasibility::feasible
                         : (remaining > 0 ? Feasibility::undecided : Feasibility::infeasible);
  }
  Feasibility strictest = Feasibility::feasible;
  for (const auto& plugin : profile_->placement_feasible) {
    strictest = std::min(strictest, plugin->feasible(groups_[tree.group], scheduled, remaining));
  }
  return strictest;
}

Cycle::Solution Cycle::solve_leaf(Transaction& transaction, const Subtree& tree,
                                  const Bitset* within) {
  Solution solution;
  LeafResult result{tree.group, {}, {}};
  Attempt& attempt = result.attempt;
  attempt.tried = tree.members.size();
  attempt.minimum = 1;
  if (tree.group.valid()) {
    attempt.minimum = static_cast<std::size_t>(groups_[tree.group].spec().policy.minimum);
    attempt.running = groups_[tree.group].scheduled_count();
  }
  const auto start = transaction.checkpoint();
  if (place_in_order(transaction, tree, within, result)) {
    attempt.code = Code::success;
  } else {
    transaction.roll_back(start);
    measure_room(result, within);
    attempt.code = attempt.code == Code::error ? Code::error : Code::unschedulable;
    if (attempt.code == Code::unschedulable && search(transaction, tree, within, result)) {
      attempt.code = Code::success;
    }
  }
  // Nothing new placed is no success: leftovers of a satisfied group must be able to say so.
  if (attempt.code == Code::success && transaction.checkpoint() == start && !tree.members.empty()) {
    attempt.code = Code::unschedulable;
  }
  if (attempt.code != Code::success) {
    attempt.message = leaf_message(cluster_, groups_, result);
    everyone_waits(result, tree.members);
  }
  solution.code = attempt.code;
  solution.message = attempt.message;
  solution.leaves.push_back(std::move(result));
  return solution;
}

bool Cycle::place_in_order(Transaction& transaction, const Subtree& tree, const Bitset* within,
                           LeafResult& result) {
  std::size_t scheduled = result.attempt.running;
  std::size_t remaining = tree.members.size();
  Feasibility state = feasibility(tree, scheduled, remaining);
  for (const PodId pod : tree.members) {
    if (state == Feasibility::infeasible) break;
    if (try_one(transaction, pod, within, result)) ++scheduled;
    if (result.attempt.code == Code::error) return false;
    state = feasibility(tree, scheduled, --remaining);
  }
  // The decision is made; the rest is tried so that the answer can say how many fit.
  const std::size_t decided = tree.members.size() - remaining;
  for (const PodId pod : std::span(tree.members).subspan(decided))
    try_one(transaction, pod, within, result);
  count_classes(result, tree.members);
  return state == Feasibility::feasible;
}

// Places the member where it fits best, or notes why it fits nowhere.
bool Cycle::try_one(Transaction& transaction, PodId pod, const Bitset* within, LeafResult& result) {
  const auto node = pick(pod, within);
  Verdict verdict{Code::unschedulable, {}, {}};
  if (node) verdict = transaction.place(pod, *node, *profile_);
  if (verdict.success()) {
    ++result.attempt.placed;
    return true;
  }
  report(result, pod, within);
  if (verdict.code == Code::error) result.attempt.code = Code::error;
  return false;
}

// A failed group has nobody placed: members that fitted wait for the group's sake alone.
void Cycle::everyone_waits(LeafResult& result, const std::vector<PodId>& members) {
  const std::vector<Unplaced> own = std::exchange(result.unplaced, {});
  auto next = own.begin();
  for (const PodId pod : members) {
    const bool has_own = next != own.end() && next->pod == pod;
    result.unplaced.push_back(has_own ? *next++ : Unplaced{pod});
  }
}

// Completes the class reports while the members are still placed.
void Cycle::count_classes(LeafResult& result, const std::vector<PodId>& members) const {
  for (auto& each : result.attempt.classes) {
    each.pods = each.placed = 0;
    for (const PodId pod : members) {
      if (cluster_.pod(pod).shape != cluster_.pod(each.sample).shape) continue;
      ++each.pods;
      each.placed += cluster_.pod(pod).node.valid();
    }
  }
}

void Cycle::measure_room(LeafResult& result, const Bitset* within) {
  for (auto& each : result.attempt.classes) {
    const PodClass pods = cluster_.class_of(each.sample);
    each.room = room_for(cluster_, cluster_.shape(pods.shape),
                         evaluations_.get(*profile_, pods).feasible(), within);
  }
}

std::optional<NodeId> Cycle::pick(PodId pod, const Bitset* within) {
  const PodClass pods = cluster_.class_of(pod);
  Evaluation& evaluation = evaluations_.get(*profile_, pods);
  // A node that was nominated for the pod goes first while it still fits.
  if (const std::string& nominated = pods.sample->status.nominated_node; !nominated.empty()) {
    const auto node = cluster_.find_node(nominated);
    if (node && evaluation.accepts(*node) && (within == nullptr || within->test(node->index))) {
      return node;
    }
  }
  return evaluation.best(within);
}

// Notes why a member found no node; members of one shape share a report.
void Cycle::report(LeafResult& result, PodId pod, const Bitset* within) {
  const std::size_t known = report_of(cluster_, result, pod);
  result.unplaced.push_back({pod, known});
  if (known != Unplaced::kGroup) return;
  Evaluation& evaluation = evaluations_.get(*profile_, cluster_.class_of(pod));
  if (evaluation.refusal().code == Code::error) result.attempt.code = Code::error;
  ClassReport made;
  made.sample = pod;
  made.diagnosis = evaluation.diagnose(within);
  result.unplaced.back().report = result.attempt.classes.size();
  result.attempt.classes.push_back(std::move(made));
}

// True when the exact search found what the simple order missed; surplus members are then added as
// they fit.
bool Cycle::search(Transaction& transaction, const Subtree& tree, const Bitset* within,
                   LeafResult& result) {
  if (!tree.group.valid()) return false;
  const std::size_t have = result.attempt.running;
  const std::size_t need = result.attempt.minimum > have ? result.attempt.minimum - have : 0;
  std::set<std::pair<ShapeId, LabelClassId>> classes;
  bool dependent = false;
  for (const PodId pod : tree.members) {
    const PodClass pods = cluster_.class_of(pod);
    classes.insert(evaluations_.key(*profile_, pods));
    dependent = dependent || may_open_later(cluster_.shape(pods.shape));
  }
  if (need <= 1 || tree.members.size() < need || (classes.size() == 1 && !dependent)) return false;
  ExactSearch exact(cluster_, evaluations_, *profile_, within, search_budget_);
  result.attempt.search = exact.run(transaction, tree.members, need);
  if (result.attempt.search != Search::found) return false;
  result.attempt.classes.clear();
  result.unplaced.clear();
  result.attempt.placed = need;
  for (const PodId pod : tree.members) {
    if (!cluster_.pod(pod).node.valid()) try_one(transaction, pod, within, result);
  }
  count_classes(result, tree.members);
  return true;
}

Cycle::Solution Cycle::solve_composite(Transaction& transaction, const Subtree& tree,
                                       const Bitset* within) {
  Solution solution;
  const auto start = transaction.checkpoint();
  std::size_t succeeded = 0;
  std::size_t remaining = tree.children.size();
  Feasibility state = feasibility(tree, succeeded, remaining);
  for (const auto& child : tree.children) {
    if (state == Feasibility::infeasible) break;
    Solution below = solve(transaction, child, within);
    if (below.code == Code::error) return below;
    --remaining;
    // A child with nobody waiting stands if what runs of it suffices.
    const bool stands =
        below.success() || (child.waiting() == 0 && satisfied(groups_, child.group));
    if (stands) ++succeeded;
    for (auto& leaf : below.leaves) solution.leaves.push_back(std::move(leaf));
    if (!below.success() && solution.message.empty()) solution.message = below.message;
    state = feasibility(tree, succeeded, remaining);
  }
  if (state == Feasibility::feasible) {
    solution.code = Code::success;
    solution.message.clear();
    return solution;
  }
  transaction.roll_back(start);
  const Group& group = groups_[tree.group];
  solution.message = fmt::format("{} of {} needed child groups of {}/{} fit{}{}", succeeded,
                                 group.spec().policy.minimum, group.ns, group.name,
                                 solution.message.empty() ? "" : "; ", solution.message);
  for (auto& leaf : solution.leaves) {
    if (leaf.attempt.code != Code::success) continue;
    leaf.attempt.code = Code::unschedulable;
    leaf.attempt.message = solution.message;
  }
  solution.code = Code::unschedulable;
  return solution;
}

}  // namespace tutti::core
