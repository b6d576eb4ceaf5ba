#include "core/placement/leaf_solver.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/check.h"
#include "core/evaluation/counting.h"
#include "core/placement/device_search_limit.h"
#include "core/placement/early_members.h"
#include "core/placement/exact_search.h"
#include "core/placement/fit_message.h"
#include "core/placement/member_facts.h"
#include "core/topology/claim_places.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Whether where one pod of this shape goes can decide how many more of it fit. Repelling each other
// over a single key leaves one place per domain however they are chosen; over two keys it does not.
bool placement_matters(const Cluster& cluster, const PodShape& shape) {
  std::set<std::string_view> keys;
  for (const auto& term : shape.spec->anti_affinity.required) keys.insert(term.topology_key);
  // Which devices one takes, and where a claim of the whole group ends up, decides for the others.
  return keys.size() > 1 || may_open_later(shape) || cluster.wants_devices(shape);
}

// Whether some node of the first set is in the second; null: all nodes.
bool meet(const Bitset& nodes, const Bitset* within) {
  if (within == nullptr) return nodes.any();
  for (std::size_t w = 0; w < nodes.words().size(); ++w) {
    if ((nodes.word(w) & within->word(w)) != 0) return true;
  }
  return false;
}

// A claim that all members share ties them to one of these places: each is searched by itself,
// which is much less than trying the members everywhere.
template <typename SearchWithin>
Search search_each(std::span<const Bitset> places, SearchBudget& budget,
                   const SearchWithin& search_within) {
  Search answer = Search::impossible;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SearchBudget granted = budget.part(places.size() - i);
    SearchBudget rest = granted;
    const Search here = search_within(&places[i], rest);
    budget.settle(granted, rest);
    if (here == Search::found) return here;
    if (here == Search::exhausted) answer = here;
  }
  return answer;
}

}  // namespace

Feasibility feasibility(const Profile& profile, const GroupTable& groups, GroupId group,
                        std::size_t scheduled, std::size_t remaining) {
  if (!group.valid()) {
    if (scheduled > 0) return Feasibility::feasible;
    return remaining > 0 ? Feasibility::undecided : Feasibility::infeasible;
  }
  TUTTI_CHECK(groups.alive(group), "the minimum of a group that is gone");
  Feasibility strictest = Feasibility::feasible;
  for (const auto& plugin : profile.placement_feasible) {
    strictest = std::min(strictest, plugin->feasible(groups[group], scheduled, remaining));
  }
  return strictest;
}

void LeafSolver::begin(GroupId leaf, const std::vector<PodId>& members, const Bitset* within) {
  TUTTI_CHECK(!leaf.valid() || !groups_[leaf].composite, "members belong to a PodGroup");
  members_ = &members;
  within_ = within;
  result_ = {};
  result_.leaf = leaf;
  Attempt& attempt = result_.attempt;
  attempt.tried = members.size();
  attempt.minimum = 1;
  if (leaf.valid()) {
    attempt.minimum = static_cast<std::size_t>(groups_[leaf].spec().policy.minimum);
    attempt.running = groups_[leaf].scheduled_count();
  }
}

LeafResult LeafSolver::complete(Transaction& transaction, GroupId leaf,
                                const std::vector<PodId>& members, const Bitset* within,
                                SearchBudget* budget) {
  begin(leaf, members, within);
  add_the_rest(transaction);
  if (budget != nullptr) add_together(transaction, *budget);
  return std::move(result_);
}

LeafResult LeafSolver::complete(GroupId leaf, const std::vector<PodId>& members,
                                const PluginStatus& others) {
  begin(leaf, members, nullptr);
  for (const PodId pod : members) {
    if (cluster_.pod(pod).node.valid()) {
      ++result_.attempt.placed;
    } else {
      report(pod, others);
    }
  }
  count_classes();
  return std::move(result_);
}

LeafResult LeafSolver::refuse(const Subtree& leaf, const Bitset* within, std::size_t fit,
                              std::string message) {
  TUTTI_CHECK(fit <= leaf.members.size(), "more fit than there are");
  begin(leaf.group, leaf.members, within);
  std::map<EvaluationCache::Key, bool> alone;  // whether one of them would find a node
  const auto finds_a_node = [&](PodId pod) {
    const PodClass pods = cluster_.class_of(pod);
    const auto [at, fresh] = alone.try_emplace(evaluations_.key(profile_, pods), false);
    if (fresh) at->second = meet(evaluations_.get(profile_, pods).feasible(), within);
    return at->second;
  };
  const bool all_find = are_alike(cluster_, evaluations_, profile_, leaf) &&
                        !leaf.members.empty() && finds_a_node(leaf.members.front());
  for (const PodId pod : leaf.members) {
    if (all_find) break;
    if (!finds_a_node(pod)) report(pod, {Code::unschedulable, {}, {}});
  }
  everyone_waits();
  count_classes();
  measure_room();
  result_.attempt.placed = fit;
  result_.attempt.code = Code::unschedulable;
  result_.attempt.message = std::move(message);
  return std::move(result_);
}

LeafResult LeafSolver::solve(Transaction& transaction, GroupId leaf,
                             const std::vector<PodId>& members, const Bitset* within,
                             SearchBudget& budget) {
  begin(leaf, members, within);
  Attempt& attempt = result_.attempt;
  const auto start = transaction.checkpoint();
  const auto unproven = cluster_.devices().search().effort().unproven;
  bool placed = place_in_order(transaction);
  if (!placed) {
    transaction.roll_back(start);
    measure_room();
    placed = attempt.code != Code::error && search(transaction, budget);
  }
  if (placed) add_together(transaction, budget);
  // Nothing new placed is no success: leftovers of a satisfied group must be able to say so.
  placed = placed && (transaction.checkpoint() != start || members.empty());
  TUTTI_CHECK(placed || transaction.checkpoint() == start, "members of a refused leaf are placed");
  if (!placed) {
    if (attempt.code != Code::error) attempt.code = Code::unschedulable;
    if (cluster_.devices().search().effort().unproven != unproven || rests_on_unproven(attempt)) {
      attempt.search = Search::exhausted;
    }
    attempt.message = leaf_message(cluster_, groups_, result_);
    everyone_waits();
  }
  return std::move(result_);
}

bool LeafSolver::place_in_order(Transaction& transaction) {
  std::size_t scheduled = result_.attempt.running;
  std::size_t remaining = members_->size();
  const auto state_now = [&] {
    return feasibility(profile_, groups_, result_.leaf, scheduled, remaining);
  };
  Feasibility state = state_now();
  for (const PodId pod : *members_) {
    if (state == Feasibility::infeasible) break;
    if (try_one(transaction, pod)) ++scheduled;
    if (result_.attempt.code == Code::error) return false;
    --remaining;
    state = state_now();
  }
  // The decision is made; the rest is tried so that the answer can say how many fit.
  for (const PodId pod : std::span(*members_).last(remaining)) try_one(transaction, pod);
  count_classes();
  return state == Feasibility::feasible;
}

// Places the member where it fits best, or notes why it fits nowhere.
bool LeafSolver::try_one(Transaction& transaction, PodId pod) {
  const auto node = pick(pod);
  PluginStatus verdict{Code::unschedulable, {}, {}};
  if (node) verdict = transaction.place(pod, *node, profile_);
  if (verdict.success()) {
    ++result_.attempt.placed;
    return true;
  }
  report(pod, verdict);
  return false;
}

std::optional<NodeId> LeafSolver::pick(PodId pod) {
  const PodClass pods = cluster_.class_of(pod);
  Evaluation& evaluation = evaluations_.get(profile_, pods);
  // A node that was nominated for the pod goes first while it still fits.
  if (const std::string& nominated = pods.sample->status.nominated_node; !nominated.empty()) {
    const auto node = cluster_.nodes().find(nominated);
    if (node && evaluation.accepts(*node) && (within_ == nullptr || within_->test(node->index))) {
      return node;
    }
  }
  return evaluation.best(within_);
}

// Notes why a member found no node. Members of one shape share a report, though labels and claims
// may tell them apart: an answer of all nodes for each pod of an Indexed Job would cost more than
// the attempt. Verdicts do not rest on it, they survey every kind of members
// (explain/findings/demand.h). `verdict` is the refusal of a Reserve plugin, if it came to that.
void LeafSolver::report(PodId pod, const PluginStatus& verdict) {
  const std::size_t known = report_of(cluster_, result_, pod);
  result_.unplaced.push_back({pod, known});
  if (known != Unplaced::kGroup) return;
  Evaluation& evaluation = evaluations_.get(profile_, cluster_.class_of(pod));
  if (evaluation.refusal().code == Code::error || verdict.code == Code::error) {
    result_.attempt.code = Code::error;
  }
  ClassReport made;
  made.sample = pod;
  made.diagnosis = evaluation.diagnose(within_);
  if (!verdict.reason.empty()) made.diagnosis.reasons.push_back(reason_of(verdict, 1));
  result_.unplaced.back().report = result_.attempt.classes.size();
  result_.attempt.classes.push_back(std::move(made));
}

// Completes the class reports while the members are still placed.
void LeafSolver::count_classes() {
  for (auto& each : result_.attempt.classes) {
    each.pods = each.placed = 0;
    for (const PodId pod : *members_) {
      if (cluster_.pod(pod).shape != cluster_.pod(each.sample).shape) continue;
      ++each.pods;
      each.placed += cluster_.pod(pod).node.valid();
    }
  }
}

void LeafSolver::measure_room() {
  for (auto& each : result_.attempt.classes) {
    const PodClass pods = cluster_.class_of(each.sample);
    const Evaluation& known = evaluations_.get(profile_, pods);
    each.room = room_for(cluster_, cluster_.shape(pods.shape), known.feasible(), within_, &known);
  }
}

// A failed group has nobody placed: members that fitted wait for the group's sake alone.
void LeafSolver::everyone_waits() {
  const std::vector<Unplaced> own = std::exchange(result_.unplaced, {});
  auto next = own.begin();
  for (const PodId pod : *members_) {
    const bool has_own = next != own.end() && next->pod == pod;
    result_.unplaced.push_back(has_own ? *next++ : Unplaced{pod});
  }
  TUTTI_CHECK(next == own.end(), "somebody waits who is no member");
}

// True when the exact search found what the simple order missed; surplus members are then added as
// they fit.
bool LeafSolver::search(Transaction& transaction, SearchBudget& budget) {
  Attempt& attempt = result_.attempt;
  if (!result_.leaf.valid() || attempt.minimum <= attempt.running) return false;
  const std::size_t need = attempt.minimum - attempt.running;
  if (!search_may_help(need)) return false;
  const auto search_within = [&](const Bitset* nodes, SearchBudget& granted) {
    ExactSearch exact(cluster_, evaluations_, profile_, granted);
    const Lot lot{*members_, need, nodes};
    const Search answer = exact.run(transaction, {&lot, 1});
    result_.attempt.competition = exact.competition();
    return answer;
  };
  const auto places = places_of_shared_claim(cluster_, *members_, within_);
  attempt.search =
      places ? search_each(*places, budget, search_within) : search_within(within_, budget);
  if (attempt.search != Search::found) return false;
  TUTTI_CHECK(transaction.checkpoint() >= need, "the search placed fewer than it was asked for");
  add_the_rest(transaction);
  return true;
}

void LeafSolver::add_the_rest(Transaction& transaction) {
  result_.attempt.classes.clear();
  result_.attempt.placed = 0;
  result_.unplaced.clear();
  for (const PodId pod : *members_) {
    if (cluster_.pod(pod).node.valid()) {
      ++result_.attempt.placed;
    } else {
      try_one(transaction, pod);
    }
  }
  count_classes();
}

// Members beyond the minimum that fit nowhere one by one, because they need each other.
void LeafSolver::add_together(Transaction& transaction, SearchBudget& budget) {
  if (!result_.leaf.valid() || !groups_[result_.leaf].spec().policy.gang) return;
  std::vector<PodId> waiting;
  Search answer = Search::not_needed;
  do {
    waiting.clear();
    std::ranges::copy_if(*members_, std::back_inserter(waiting),
                         [&](PodId pod) { return !cluster_.pod(pod).node.valid(); });
    if (!may_come_before_another(cluster_, evaluations_, profile_, waiting)) break;
    const Lot lot{waiting, 1, within_};
    answer = ExactSearch(cluster_, evaluations_, profile_, budget).run(transaction, {&lot, 1});
    if (answer == Search::found) add_the_rest(transaction);
  } while (answer == Search::found);
  if (result_.attempt.placed == 0) result_.attempt.search = answer;
}

// Members that are alike and do not care about each other fit one by one or not at all.
bool LeafSolver::search_may_help(std::size_t need) {
  if (members_->size() < std::max<std::size_t>(need, 2)) return false;
  if (need == 1) return may_come_before_another(cluster_, evaluations_, profile_, *members_);
  std::set<EvaluationCache::Key> classes;
  for (const PodId pod : *members_) {
    const PodClass pods = cluster_.class_of(pod);
    classes.insert(evaluations_.key(profile_, pods));
    if (classes.size() > 1 || placement_matters(cluster_, cluster_.shape(pods.shape))) return true;
  }
  return false;
}

}  // namespace tutti::core
