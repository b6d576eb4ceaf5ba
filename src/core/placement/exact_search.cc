#include "core/placement/exact_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/check.h"
#include "base/digest.h"
#include "core/evaluation/counting.h"
#include "core/placement/device_toll.h"
#include "devices/device_capacity.h"

namespace tutti::core {
namespace {

// Independent of order: states reached by the same placements in another order are equal.
std::uint64_t placement_digest(std::size_t which, NodeId node) {
  Digest digest;
  digest.add(std::uint64_t{which});
  digest.add(std::uint64_t{node.index});
  return digest.value();
}

// How many of these pods, which are alike, the devices of the nodes can serve in all: a device that
// many nodes can use serves one of them.
std::size_t device_room(const Cluster& cluster, const PodShape& shape, std::span<const PodId> pods,
                        const Bitset& within) {
  if (!cluster.wants_devices(shape)) return pods.size();
  const auto claims = cluster.devices().claims_of(*cluster.pod(pods.front()).object);
  std::vector<devices::NodeIndex> nodes;
  within.for_each_set([&](std::size_t i) { nodes.push_back(static_cast<devices::NodeIndex>(i)); });
  const auto room = devices::room_within(cluster.devices(), claims.open, nodes);
  return std::min(pods.size(), static_cast<std::size_t>(room));
}

}  // namespace

void ExactSearch::sort_into_classes(std::span<const Lot> lots) {
  std::map<std::pair<std::size_t, EvaluationCache::Key>, std::size_t> index;
  std::set<EvaluationCache::Key> kinds;
  std::set<ResourceId> resources;
  std::vector<ShapeId> shapes;
  for (const Lot& lot : lots) {
    for (const PodId pod : lot.members) shapes.push_back(cluster_.pod(pod).shape);
  }
  LabelSorter sorter = evaluations_.label_sorter(shapes);
  for (std::size_t lot = 0; lot < lots.size(); ++lot) {
    missing_.push_back(lots[lot].need);
    for (const PodId pod : lots[lot].members) {
      const PodClass pods = cluster_.class_of(pod);
      const auto key = evaluations_.key(profile_, pods, sorter);
      const auto [at, fresh] = index.try_emplace({lot, key}, classes_.size());
      if (fresh) {
        kinds.insert(key);
        const PodShape& shape = cluster_.shape(pods.shape);
        classes_.push_back({.pods = {},
                            .shape = &shape,
                            .lot = lot,
                            .within = lots[lot].within,
                            .opens_later = may_open_later(shape),
                            .tightness = Tightness(cluster_, shape, lots[lot].within)});
        independent_ = independent_ && !classes_.back().opens_later;
        alike_allowed_ = alike_allowed_ && !shape.special() && shape.spec->spread.empty() &&
                         !cluster_.wants_devices(shape);
        countable_ = countable_ && only_counts(cluster_, profile_, shape);
        for (const auto& request : shape.requests) resources.insert(request.resource);
      }
      classes_[at->second].pods.push_back(pod);
    }
  }
  kinds_ = kinds.size();
  resources_.assign(resources.begin(), resources.end());
}

// Counting each class alone already leaves some lot too few.
bool ExactSearch::out_of_reach() {
  std::vector<std::size_t> reachable(missing_.size(), 0);
  for (const auto& each : classes_) reachable[each.lot] += reach_of(each);
  for (std::size_t lot = 0; lot < missing_.size(); ++lot) {
    if (reachable[lot] < missing_[lot]) return true;
  }
  return false;
}

// At most so many of its pods can be placed.
std::size_t ExactSearch::reach_of(const Class& each) {
  const Evaluation& answers = evaluation(each);
  if (each.opens_later && !answers.refusal().success()) return each.pods.size();
  Bitset nodes = each.opens_later ? answers.may_accept() : answers.feasible();
  if (each.within != nullptr) nodes.and_with(*each.within);
  const std::size_t reach = device_room(cluster_, *each.shape, each.pods, nodes);
  if (!profile_.counts_resources) return reach;
  const auto pods = static_cast<std::int64_t>(each.pods.size());
  std::vector<std::int64_t> room(cluster_.nodes().slots(), 0);
  std::int64_t in_all = 0;
  nodes.for_each_set([&](std::size_t node) {
    const auto fits = static_cast<std::int64_t>(room_on(cluster_, *each.shape, node));
    room[node] = std::clamp<std::int64_t>(answers.room({static_cast<std::uint32_t>(node)}), 0,
                                          std::min(fits, pods));
    in_all += room[node];
  });
  std::int64_t company = -pods;
  for (const auto& other : classes_) company += static_cast<std::int64_t>(other.pods.size());
  in_all = std::min(in_all, answers.room_for({room, pods, company}));
  return std::min(reach, static_cast<std::size_t>(in_all));
}

Search ExactSearch::run(Transaction& transaction, std::span<const Lot> lots) {
  TUTTI_CHECK(classes_.empty(), "a search runs once");
  sort_into_classes(lots);
  std::size_t members = 0;
  for (const auto& lot : lots) members += lot.members.size();
  if (out_of_reach()) return Search::impossible;
  if (members > kMembersMax) return place_in_order(transaction);
  if (countable_) {
    if (const auto answer = pack(transaction)) return *answer;
  }
  if (kinds_ > kKindsMax) return place_in_order(transaction);
  find_company();
  if (descend(transaction, 0)) return Search::found;
  return budget_.spent() ? Search::exhausted : Search::impossible;
}

// Tries the ordinary way where the search would not end: found, or nothing is known.
Search ExactSearch::place_in_order(Transaction& transaction) {
  const auto before = transaction.checkpoint();
  for (auto& each : classes_) {
    for (; missing_[each.lot] > 0 && each.left() > 0; ++each.used) {
      const auto node = evaluation(each).best(each.within);
      if (!node || !transaction.place(each.pods[each.used], *node, profile_).success()) break;
      --missing_[each.lot];
    }
  }
  if (std::ranges::all_of(missing_, [](std::size_t missing) { return missing == 0; })) {
    return Search::found;
  }
  transaction.roll_back(before);
  return Search::exhausted;
}

// --- as numbers ----------------------------------------------------------------------------------

// Nothing when a plugin objects to what counting found.
std::optional<Search> ExactSearch::pack(Transaction& transaction) {
  std::vector<Bitset> accepted;
  for (const auto& each : classes_) accepted.push_back(accepted_by(each));
  const auto bins = bins_worth_keeping(accepted);
  const PackingProblem problem = packing_problem(bins, accepted);
  Packing packing(problem, budget_);
  const Search answer = packing.solve();
  if (answer == Search::impossible) note_competition(packing, problem);
  if (answer != Search::found) return answer;
  const auto before = transaction.checkpoint();
  if (carry_out(transaction, bins, packing.placed())) return Search::found;
  transaction.roll_back(before);
  return std::nullopt;
}

void ExactSearch::note_competition(const Packing& packing, const PackingProblem& problem) {
  if (packing.competing().empty()) return;
  for (const std::size_t kind : packing.competing()) {
    competition_.sample = classes_[kind].pods.front();
    competition_.members += classes_[kind].pods.size();
  }
  const PodShape& shape = *classes_[packing.competing().front()].shape;
  packing.contested_bins().for_each_set([&](std::size_t bin) {
    std::int64_t fits = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      const std::int64_t amount = shape.request(resources_[r]);
      if (amount > 0) fits = std::min(fits, problem.bins[bin][r] / amount);
    }
    if (fits <= 0) return;
    ++competition_.nodes;
    competition_.places += static_cast<std::size_t>(fits);
  });
}

// Keeps, of nodes that look alike, at most as many as there are pods to place.
std::vector<NodeId> ExactSearch::bins_worth_keeping(std::span<const Bitset> accepted) const {
  Bitset any(cluster_.nodes().slots());
  for (const Bitset& nodes : accepted) any.or_with(nodes);
  const std::size_t needed = std::accumulate(missing_.begin(), missing_.end(), std::size_t{0});
  std::vector<NodeId> nodes;
  any.for_each_set([&](std::size_t i) { nodes.push_back({static_cast<std::uint32_t>(i)}); });
  const auto ranks = cluster_.nodes().name_ranks();
  std::ranges::sort(nodes, {}, [&](NodeId node) { return ranks[node.index]; });
  std::unordered_map<std::uint64_t, std::size_t> alike;
  std::erase_if(nodes, [&](NodeId node) { return alike[look_of(node, accepted)]++ >= needed; });
  return nodes;
}

PackingProblem ExactSearch::packing_problem(std::span<const NodeId> bins,
                                            std::span<const Bitset> accepted) const {
  PackingProblem problem;
  for (const NodeId node : bins) {
    auto& free = problem.bins.emplace_back();
    for (const ResourceId resource : resources_) {
      free.push_back(free_of(cluster_, resource, node.index));
    }
  }
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    PackingProblem::Kind kind{{}, classes_[i].pods.size(), classes_[i].lot, Bitset(bins.size())};
    for (const ResourceId resource : resources_) {
      kind.amounts.push_back(classes_[i].shape->request(resource));
    }
    for (std::size_t b = 0; b < bins.size(); ++b) {
      if (accepted[i].test(bins[b].index)) kind.bins.set(b);
    }
    problem.kinds.push_back(std::move(kind));
  }
  problem.needs = missing_;
  return problem;
}

bool ExactSearch::carry_out(Transaction& transaction, std::span<const NodeId> bins,
                            std::span<const std::vector<std::size_t>> placed) {
  TUTTI_CHECK(placed.size() == classes_.size(), "a list of bins for every class");
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    TUTTI_CHECK(placed[i].size() <= classes_[i].pods.size(), "more are packed than there are");
    for (std::size_t pod = 0; pod < placed[i].size(); ++pod) {
      const PodId next = classes_[i].pods[pod];
      const NodeId node = bins[placed[i][pod]];
      if (!evaluations_.get(profile_, cluster_.class_of(next)).accepts(node)) return false;
      if (!transaction.place(next, node, profile_).success()) return false;
    }
  }
  return true;
}

// --- through the filters -------------------------------------------------------------------------

bool ExactSearch::in_reach(std::span<const Choice> open) const {
  std::vector<std::size_t> reachable(missing_.size(), 0);
  const auto opens = [&](const Class& each) { return each.opens_later && !any_order_; };
  for (const auto& each : classes_) reachable[each.lot] += opens(each) ? each.left() : 0;
  for (const auto& choice : open) {
    const Class& each = classes_[choice.which];
    if (!opens(each)) reachable[each.lot] += each.left();
  }
  for (std::size_t lot = 0; lot < missing_.size(); ++lot) {
    if (reachable[lot] < missing_[lot]) return false;
  }
  return true;
}

bool ExactSearch::descend(Transaction& transaction, std::uint64_t state) {
  const auto settled = early_.settle();
  for (const std::size_t i : settled) {
    const EarlyMembers::Member& member = early_[i];
    state += placement_digest(member.which, member.node) -
             placement_digest(digest_of_early(member.which), member.node);
  }
  bool found = early_.all_settled() &&
               std::ranges::all_of(missing_, [](std::size_t missing) { return missing == 0; });
  if (!found && !budget_.spent() && failed_.insert(state).second) {
    found = go_on(transaction, state);
  }
  if (!found) early_.unsettle(settled);
  return found;
}

bool ExactSearch::go_on(Transaction& transaction, std::uint64_t state) {
  if (const auto wish = early_.first_wish()) return bring_company(transaction, *wish, state);
  return independent_ || any_order_ ? place_next(transaction, state)
                                    : place_someone(transaction, state);
}

// Some order places the hardest class first, or leaves one of it out. Those who wait for the
// company of a class find fewer nodes once it is there.
bool ExactSearch::place_next(Transaction& transaction, std::uint64_t state) {
  const std::vector<Choice> open = choices(any_order_ ? Entry::either : Entry::accepted);
  if (open.empty() || !in_reach(open)) return false;
  const auto next = std::ranges::min_element(open, {}, [&](const Choice& choice) {
    return std::pair(!classes_[choice.which].leads, choice.nodes.size());
  });
  return place_one(transaction, *next, state) || give_up_one(transaction, next->which, state);
}

bool ExactSearch::place_any(Transaction& transaction, std::vector<Choice> open,
                            std::uint64_t state) {
  std::ranges::stable_sort(open, {}, [](const Choice& choice) { return choice.nodes.size(); });
  return std::ranges::any_of(
      open, [&](const Choice& choice) { return place_one(transaction, choice, state); });
}

bool ExactSearch::place_one(Transaction& transaction, const Choice& choice, std::uint64_t state) {
  Class& chosen = classes_[choice.which];
  TUTTI_CHECK(chosen.used < chosen.pods.size(), "nobody of the class is left");
  std::size_t& missing = missing_[chosen.lot];
  for (const NodeId node : choice.nodes) {
    const auto before = transaction.checkpoint();
    const bool early = !chosen.wanted.empty() && !evaluation(chosen).accepts(node);
    {
      const DeviceToll toll(cluster_, budget_);
      if (!transaction.place(chosen.pods[chosen.used], node, profile_).success()) continue;
    }
    const std::size_t was = missing;
    missing -= missing > 0;
    ++chosen.used;
    moved(node);
    if (early) early_.add(choice.which, chosen.pods[chosen.used - 1], node);
    const std::size_t entered = early ? digest_of_early(choice.which) : choice.which;
    if (descend(transaction, state + placement_digest(entered, node))) return true;
    if (early) early_.drop_last();
    TUTTI_CHECK(transaction.checkpoint() == before + 1, "later choices are undone first");
    --chosen.used;
    missing = was;
    transaction.roll_back(before);
    moved(node);
    if (budget_.spent()) return false;
  }
  return false;
}

void ExactSearch::moved(NodeId node) {
  for (auto& each : classes_) each.tightness.moved(node);
}

bool ExactSearch::give_up_one(Transaction& transaction, std::size_t which, std::uint64_t state) {
  const std::size_t lot = classes_[which].lot;
  std::size_t left = 0;
  for (const auto& each : classes_) left += each.lot == lot ? each.left() : 0;
  if (left <= missing_[lot]) return false;
  TUTTI_CHECK(classes_[which].left() > 0, "nobody of the class is left");
  ++classes_[which].used;
  const bool found = descend(transaction, state + placement_digest(which, NodeId{}));
  if (!found) --classes_[which].used;
  return found;
}

Evaluation& ExactSearch::evaluation(const Class& of) {
  const PodId next = of.pods[std::min(of.used, of.pods.size() - 1)];
  return evaluations_.get(profile_, cluster_.class_of(next));
}

Bitset ExactSearch::accepted_by(const Class& of) {
  Bitset nodes = evaluation(of).feasible();
  if (of.within != nullptr) nodes.and_with(*of.within);
  return nodes;
}

// The classes that have somewhere to go, with their nodes in the order to be tried. A lot that has
// what it needs is only looked at while another member may depend on one more of it.
std::vector<ExactSearch::Choice> ExactSearch::choices(Entry entry) {
  const DeviceToll toll(cluster_, budget_);
  std::vector<Choice> open;
  std::vector<Bitset> accepted;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].left() == 0) continue;
    if ((independent_ || any_order_) && missing_[classes_[i].lot] == 0) continue;
    accepted.push_back(open_to(classes_[i], entry));
    open.push_back({i, classes_[i].tightness.order(accepted.back())});
  }
  if (alike_allowed_) {
    for (auto& choice : open) drop_alike(choice.nodes, accepted);
  }
  std::erase_if(open, [](const Choice& choice) { return choice.nodes.empty(); });
  return open;
}

// Keeps the first of nodes between which no class left can tell a difference, now or later: equal
// in what is free and in whom they accept.
void ExactSearch::drop_alike(std::vector<NodeId>& nodes, std::span<const Bitset> accepted) const {
  std::unordered_set<std::uint64_t> seen;
  std::erase_if(nodes, [&](NodeId node) { return !seen.insert(look_of(node, accepted)).second; });
}

std::uint64_t ExactSearch::look_of(NodeId node, std::span<const Bitset> accepted) const {
  Digest digest;
  for (const ResourceId resource : resources_) {
    digest.add(static_cast<std::uint64_t>(free_of(cluster_, resource, node.index)));
  }
  for (const auto& mask : accepted) digest.add(std::uint64_t{mask.test(node.index)});
  return digest.value();
}

}  // namespace tutti::core
