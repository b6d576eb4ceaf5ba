#include "core/placement/request_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

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

// Looking into one domain after another must leave budget for the rest of them.
constexpr std::size_t kDomainParts = 8;

std::vector<std::string> hard_keys(const TopologyRequest& request) {
  std::vector<std::string> keys;
  if (!request.required.empty()) keys.push_back(request.required);
  if (!request.slice_key.empty() && request.slice_key != request.required) {
    keys.push_back(request.slice_key);
  }
  return keys;
}

// The required domains that those with a node are in, as far as they may be used; all nodes while
// nobody has one, and none if devices of a member came to say something else meanwhile. Devices
// that lie in no domain can leave several.
std::vector<Placement> required_areas(const Cluster& cluster, const std::string& key,
                                      std::vector<PodId> scheduled, std::span<const PodId> members,
                                      const Bitset& within) {
  std::ranges::copy_if(members, std::back_inserter(scheduled),
                       [&](PodId pod) { return cluster.pod(pod).node.valid(); });
  if (key.empty() || scheduled.empty()) return {{{}, {}, within}};
  const auto common = common_domains(cluster, scheduled, key);
  std::vector<Placement> found;
  if (common.ok()) found = domains_within(cluster, key, within, *common);
  if (found.empty()) found.push_back({{}, {}, Bitset(within.size())});
  return found;
}

// Which of the areas has the most for what `place_in` does there; it is undone.
template <typename PlaceIn>
std::size_t best_area(Cluster& cluster, Transaction& transaction, std::span<const PodId> members,
                      std::span<const Placement> areas, const PlaceIn& place_in) {
  TUTTI_CHECK(!areas.empty(), "there is always an area, if an empty one");
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < areas.size() && areas.size() > 1; ++i) {
    const auto before = transaction.checkpoint();
    const ConfinementScope scope(cluster, members, areas[i].confinement);
    place_in(areas[i]);
    const std::size_t placed = transaction.checkpoint() - before;
    transaction.roll_back(before);
    if (placed > most) best = i, most = placed;
  }
  return best;
}

// The task whose children are the slices: the group's, or the one nested in its own domain.
const Task& sliced(const Task& task) {
  const bool nested = task.children.size() == 1 && task.children.front().inner;
  return nested ? task.children.front() : task;
}

}  // namespace

Solution RequestSolver::solve(Transaction& transaction, const Subtree& leaf,
                              const TopologyRequest& request, const Bitset& within,
                              SearchBudget& budget) {
  TUTTI_CHECK(leaf.group.valid() && !groups_[leaf.group].composite, "a PodGroup asks");
  leaf_ = &leaf;
  request_ = &request;
  within_ = &within;
  scheduled_ = scheduled_members(groups_, leaf.group);
  levels_ = evaluations_.topology().levels(cluster_, request);
  // Who may go anywhere asks for no label; levels only help to stay together.
  if (request.unconstrained && !levels_.verdict.success()) levels_ = {};
  if (!levels_.verdict.success()) return refusal(leaf, objection_of(profile_, levels_));
  if (!scheduled_.empty()) {
    const auto where = check_running(cluster_, make_task(cluster_, groups_, leaf, request));
    if (!where.ok()) {
      return refusal(leaf, profile_.said_by_generator({Code::error, {}, where.error().message}));
    }
  }
  if (only_counting(request)) {
    if (auto solution = count(transaction)) return *std::move(solution);
  }
  return search(transaction, budget);
}

// How many members must be placed now, in whole slices while none runs.
std::size_t RequestSolver::needed() const {
  const auto minimum = static_cast<std::size_t>(groups_[leaf_->group].spec().policy.minimum);
  const std::size_t missing = minimum - std::min(minimum, scheduled_.size());
  const std::size_t size = scheduled_.empty() ? std::max<std::size_t>(request_->slice_size, 1) : 1;
  return std::max<std::size_t>((missing + size - 1) / size, 1) * size;
}

// --- counting ------------------------------------------------------------------------------------

bool RequestSolver::only_counting(const TopologyRequest& request) const {
  if (leaf_->members.empty() || (request.slice_size > 0 && !scheduled_.empty())) return false;
  // Trees of levels have a node in one domain of each.
  const auto divided = [&](const std::string& key) {
    return !key.empty() && !cluster_.group_domains(key).divided.empty();
  };
  if (divided(request.required) || divided(request.preferred) || divided(request.slice_key)) {
    return false;
  }
  return compete_alike(cluster_, evaluations_, profile_, *leaf_);
}

BestFitOptions RequestSolver::options() const {
  BestFitOptions made;
  made.preferred = levels_.find(request_->preferred);
  made.required = levels_.find(request_->required);
  made.spread = profile_.topology.spread;
  for (const PodId pod : scheduled_) {
    if (cluster_.pod(pod).node.valid()) made.anchors.push_back(cluster_.pod(pod).node);
  }
  return made;
}

// By domains of these levels.
std::shared_ptr<const LevelCapacity> RequestSolver::count_levels(
    const std::shared_ptr<const LevelTree>& tree, ClassCapacity& room) const {
  Slicing slicing{tree->nodes_level(), 1};
  if (request_->slice_size > 0) {
    const auto at = std::ranges::find(tree->keys(), request_->slice_key);
    slicing = {static_cast<std::size_t>(at - tree->keys().begin()), request_->slice_size};
  }
  if (everywhere()) return room.by_level(cluster_, tree, slicing);
  return std::make_shared<const LevelCapacity>(tree, slicing, *within_, room.by_node());
}

// Nothing when a plugin objects to what was counted.
std::optional<Solution> RequestSolver::count(Transaction& transaction) {
  ClassCapacity& class_room =
      evaluations_.room(profile_, cluster_.class_of(leaf_->members.front()));
  if (surely_too_little(class_room)) return too_little(nullptr, class_room);
  const auto room = class_room.by_node();
  const auto counted =
      count_levels(evaluations_.topology().tree(cluster_, levels_.keys), class_room);
  const BestFit fit(cluster_, *counted, *within_, room, options());
  const std::size_t size = std::max<std::size_t>(request_->slice_size, 1);
  const std::size_t count = std::min(leaf_->members.size(), fit.capacity()) / size * size;
  // Levels that are only wished for do not rule out nodes without their labels.
  if (const auto hard = hard_keys(*request_);
      count < leaf_->members.size() && levels_.keys != hard) {
    const auto tree = evaluations_.topology().tree(cluster_, hard);
    const std::vector<std::string> wished = std::exchange(levels_.keys, hard);
    const auto more = count_levels(tree, class_room);
    const BestFit wider(cluster_, *more, *within_, room, options());
    if (tree->nested() && wider.capacity() > fit.capacity()) return this->count(transaction);
    levels_.keys = wished;
  }
  if (count < needed()) return too_little(&fit, class_room);
  const auto nodes = fit.place(count);
  auto members = leaf_->members;
  sort_by_rank(cluster_, members);
  TUTTI_CHECK(nodes.size() <= members.size(), "more places than members");
  const auto before = transaction.checkpoint();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (transaction.place(members[i], nodes[i], profile_).success()) continue;
    transaction.roll_back(before);
    return std::nullopt;
  }
  const Placement area = required_area();
  return finish(transaction, request_->slice_size > 0 ? nullptr : &area, nullptr);
}

// What all nodes together, or the best domain, hold already rules it out: no node needs a look.
bool RequestSolver::surely_too_little(ClassCapacity& room) const {
  if (room.total() < needed()) return true;
  if (request_->required.empty()) return false;
  return std::ranges::max(room.by_domain(cluster_, request_->required)) < needed();
}

// The one of the required domains that takes most of the members without a node.
Placement RequestSolver::required_area() const {
  const auto& members = leaf_->members;
  auto areas = required_areas(cluster_, request_->required, scheduled_, members, *within_);
  Transaction trial(cluster_);
  const auto complete = [&](const Placement& area) {
    leaf_solver_.complete(trial, leaf_->group, members, &area.nodes);
  };
  return std::move(areas[best_area(cluster_, trial, members, areas, complete)]);
}

// Members without a node are tried on the area; null: they come as whole slices or not at all.
Solution RequestSolver::finish(Transaction& transaction, const Placement* area,
                               SearchBudget* budget) {
  const ConfinementScope scope(cluster_, leaf_->members,
                               area != nullptr ? area->confinement : devices::ConfinementId{});
  Solution solution;
  solution.code = Code::success;
  solution.leaves.push_back(
      area != nullptr
          ? leaf_solver_.complete(transaction, leaf_->group, leaf_->members, &area->nodes, budget)
          : leaf_solver_.complete(
                leaf_->group, leaf_->members,
                profile_.said_by_generator(
                    {Code::unschedulable,
                     {},
                     fmt::format("no domain of {} has room for another slice of {}",
                                 request_->slice_key, request_->slice_size)})));
  const std::string& key = request_->required.empty() ? request_->preferred : request_->required;
  solution.placement = placement_text(cluster_, key, leaf_->members);
  solution.leaves.back().attempt.placement = solution.placement;
  return solution;
}

// Reports every domain that could be the required one, or hold a slice; without `fit` whole domains
// were counted.
std::vector<PlacementReport> RequestSolver::reports(const BestFit* fit, ClassCapacity& room) const {
  const std::string& key = request_->required.empty() ? request_->slice_key : request_->required;
  const std::size_t level = levels_.find(key);
  std::vector<PlacementReport> made;
  if (level == Levels::kNone) return made;
  const std::size_t size = std::max<std::size_t>(request_->slice_size, 1);
  const PodClass pods = cluster_.class_of(leaf_->members.front());
  const auto common = common_domains(cluster_, scheduled_, key);
  const std::vector<std::uint32_t> pinned = common.ok() ? *common : std::vector<std::uint32_t>{};
  const DomainColumn& domains = cluster_.group_domains(key);
  const auto report = [&](std::uint32_t id, std::vector<ReasonCount> reasons) {
    const std::size_t fitting =
        fit != nullptr ? fit->slices_at(level, id) * size : room.by_domain(cluster_, key)[id];
    made.push_back({key, domains.values[id],
                    scheduled_.size() + std::min(fitting, leaf_->members.size()),
                    scheduled_.size() + needed(), std::move(reasons)});
  };
  if (everywhere()) {
    for (const std::uint32_t id : domains.in_order()) {
      const bool asked = pinned.empty() || std::ranges::find(pinned, id) != pinned.end();
      if (!asked || domains.node_count[id] == 0) continue;
      report(id, evaluations_.reasons(profile_, pods, key, id));
    }
    return made;
  }
  Evaluation& evaluation = evaluations_.get(profile_, pods);
  for (const auto& domain : domains_within(cluster_, key, *within_, pinned)) {
    report(domains.domain_ids.at(domain.value),
           reasons_when_full(cluster_, evaluation, cluster_.shape(pods.shape), domain.nodes));
  }
  return made;
}

std::string RequestSolver::shortage(std::size_t capacity) const {
  const Group& group = groups_[leaf_->group];
  const std::size_t missing = needed();
  auto text = fmt::format("{} needs {} {}members", title_of(group), missing,
                          scheduled_.empty() ? "" : "more ");
  if (request_->slice_size > 0) {
    text += fmt::format(" in slices of {}, each in one domain of {}", request_->slice_size,
                        request_->slice_key);
  }
  if (!request_->required.empty()) {
    text += fmt::format("{} in one domain of {}", request_->slice_size > 0 ? ", all" : "",
                        request_->required);
  }
  return text + fmt::format("; {} fit", capacity);
}

// How many members the most promising of the required domains takes one after the other: what can
// be said where no count of them is exact.
std::size_t RequestSolver::fit_in_order() {
  // A tree of groups may have a group of which nobody waits.
  if (leaf_->members.empty()) return 0;
  std::vector<Placement> areas;
  if (!request_->required.empty() && scheduled_.empty()) {
    areas = domains_within(cluster_, request_->required, *within_);
  } else {
    areas = required_areas(cluster_, request_->required, scheduled_, leaf_->members, *within_);
  }
  const PodClass pods = cluster_.class_of(leaf_->members.front());
  const PodShape& shape = cluster_.shape(pods.shape);
  const auto room = [&](const Placement& area) {
    return room_for(cluster_, shape, area.nodes, nullptr);
  };
  const auto best = std::ranges::max_element(areas, {}, room);
  if (best == areas.end()) return 0;
  const ConfinementScope scope(cluster_, leaf_->members, best->confinement);
  Transaction trial(cluster_);
  return leaf_solver_.complete(trial, leaf_->group, leaf_->members, &best->nodes).attempt.placed;
}

Solution RequestSolver::too_little(const BestFit* fit, ClassCapacity& room) {
  std::size_t anywhere = everywhere() ? room.total() : 0;
  if (!everywhere()) {
    within_->for_each_set([&](std::size_t i) { anywhere += room.by_node()[i]; });
  }
  Solution solution;
  solution.placements = reports(fit, room);
  std::size_t most = fit != nullptr ? fit->capacity() : anywhere;
  if (!request_->required.empty()) {
    most = 0;
    for (const auto& report : solution.placements) most = std::max(most, report.fit);
    most -= std::min(most, scheduled_.size());
  }
  most = std::min(most, leaf_->members.size());
  solution.message = shortage(most);
  // Enough room in total, but not where it is wanted.
  if (anywhere >= needed()) solution.refused_by = Concern::placement;
  solution.leaves.push_back(leaf_solver_.refuse(*leaf_, within_, most, solution.message));
  return solution;
}

// --- searching -----------------------------------------------------------------------------------

Solution RequestSolver::search(Transaction& transaction, SearchBudget& budget) {
  const Task task = make_task(cluster_, groups_, *leaf_, *request_);
  const auto before = transaction.checkpoint();
  Search answer = Search::not_needed;
  if (!task.stands) {
    answer = search_outwards(transaction, task, budget);
    if (answer != Search::found) {
      Solution solution;
      const std::size_t fit = fit_in_order();
      solution.message = shortage(fit);
      if (answer == Search::exhausted) solution.message += kBudgetEnded;
      solution.message += competition_text(cluster_, competition_);
      solution.leaves.push_back(leaf_solver_.refuse(*leaf_, within_, fit, solution.message));
      solution.leaves.back().attempt.search = answer;
      solution.leaves.back().attempt.competition = competition_;
      return solution;
    }
  }
  Solution solution;
  if (request_->slice_size > 0) {
    add_slices(transaction, task, budget);
    solution = finish(transaction, nullptr, nullptr);
  } else {
    const Placement area = required_area();
    solution = finish(transaction, &area, &budget);
  }
  if (answer != Search::not_needed) solution.leaves.back().attempt.search = answer;
  if (transaction.checkpoint() != before || leaf_->members.empty()) return solution;
  solution.code = solution.leaves.back().attempt.code = Code::unschedulable;
  solution.message = solution.leaves.back().attempt.message =
      leaf_message(cluster_, groups_, solution.leaves.back());
  return solution;
}

// In one domain of the preferred level, of wider ones, then anywhere.
Search RequestSolver::search_outwards(Transaction& transaction, const Task& task,
                                      SearchBudget& budget) {
  const std::size_t required = levels_.find(request_->required);
  const std::size_t widest = required == Levels::kNone ? 0 : required + 1;
  for (std::size_t level = levels_.find(request_->preferred) + 1; level-- > widest;) {
    for (const auto& domain : domains_within(cluster_, levels_.keys[level], *within_)) {
      const SearchBudget granted = budget.part(kDomainParts);
      SearchBudget part = granted;
      const ConfinementScope scope(cluster_, leaf_->members, domain.confinement);
      TreeSearch here(cluster_, groups_, evaluations_, profile_, part);
      const Search answer = here.run(transaction, task, domain.nodes);
      budget.settle(granted, part);
      if (answer == Search::found) return answer;
    }
  }
  TreeSearch anywhere(cluster_, groups_, evaluations_, profile_, budget);
  const Search answer = anywhere.run(transaction, task, *within_);
  competition_ = anywhere.competition();
  return answer;
}

// Slices beyond the minimum come along as they fit, or together if they need each other.
void RequestSolver::add_slices(Transaction& transaction, const Task& task, SearchBudget& budget) {
  const auto areas =
      required_areas(cluster_, request_->required, scheduled_, leaf_->members, *within_);
  const auto search_in = [&](const Task& part, const Placement& area) {
    const SearchBudget granted = budget.part(areas.size());
    SearchBudget rest = granted;
    TreeSearch search(cluster_, groups_, evaluations_, profile_, rest);
    search.run(transaction, part, area.nodes);
    budget.settle(granted, rest);
  };
  const auto add_in = [&](const Placement& area) {
    const auto before = transaction.checkpoint();
    for (const Task& slice : sliced(task).children) {
      if (slice.stands || cluster_.pod(slice.members.front()).node.valid()) continue;
      search_in(slice, area);
    }
    if (task.stands && task.waits() && transaction.checkpoint() == before) search_in(task, area);
  };
  const Placement& area = areas[best_area(cluster_, transaction, leaf_->members, areas, add_in)];
  const ConfinementScope scope(cluster_, leaf_->members, area.confinement);
  add_in(area);
}

}  // namespace tutti::core
