#include "core/preemption/eviction_search.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>

#include "base/check.h"
#include "core/cluster/confinement_scope.h"
#include "core/evaluation/counting.h"

namespace tutti::core {
namespace {

// Rooms that are checked with the solvers before the search goes another way.
constexpr std::size_t kRoomsChecked = 16;

// Sorts units by the harm each does alone, least first; those that use up a budget after those that
// do not.
void sort_by_harm(const VictimTable& victims, std::vector<std::uint32_t>& units) {
  HarmTally tally(victims);
  std::vector<std::tuple<Harm, std::uint32_t, std::uint32_t>> ranked;
  ranked.reserve(units.size());
  for (const std::uint32_t unit : units) {
    ranked.emplace_back(tally.with({&unit, 1}), victims.units[unit].budget_count, unit);
  }
  std::ranges::sort(ranked);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = std::get<2>(ranked[i]);
}

}  // namespace

EvictionSearch::EvictionSearch(Cluster& cluster, const GroupTable& groups,
                               EvaluationCache& evaluations, const Profile& profile,
                               const Subtree& tree, const VictimTable& victims,
                               std::size_t search_budget)
    : cluster_(cluster),
      groups_(groups),
      evaluations_(evaluations),
      profile_(profile),
      tree_(tree),
      victims_(victims),
      search_budget_(search_budget),
      members_(members_of(tree)),
      company_(cluster, profile, members_),
      absence_(cluster, groups, victims),
      tally_(victims) {
  std::set<ResourceId> resources;
  for (const PodId pod : members_) {
    const PodShape& shape = cluster.shape(cluster.pod(pod).shape);
    for (const auto& request : shape.requests) resources.insert(request.resource);
    monotone_ = monotone_ && !may_open_later(shape);
    want_devices_ = want_devices_ || cluster.wants_devices(shape);
  }
  resources_.assign(resources.begin(), resources.end());
}

std::optional<EvictionSearch::Found> EvictionSearch::run() {
  if (!victims_.leaving.empty()) {
    if (auto places = trial(nullptr)) return Found{{}, std::move(*places), {}, true};
  }
  if (victims_.units.empty()) return std::nullopt;
  if (tree_.group.valid() && !profile_.placement_generate.empty()) {
    auto generated = profile_.placement_generate.front()->generate(cluster_, groups_, tree_.group,
                                                                   cluster_.nodes().live());
    if (!generated.verdict.success() || generated.placements.empty()) return std::nullopt;
    const bool anywhere =
        generated.placements.size() == 1 && generated.placements.front().key.empty();
    if (!anywhere) placements_ = std::move(generated.placements);
  }
  std::optional<Found> found = from_rooms();
  if (!found && goal_ > 0) found = from_prefix();
  if (found || !monotone_) improve(found);
  return found;
}

std::optional<EvictionSearch::Places> EvictionSearch::trial(const Bitset* within) {
  looks_ += 1 + members_.size() * (1 + (within == nullptr ? placements_.size() : 0));
  Transaction transaction(cluster_);
  GroupSolver solver(cluster_, groups_, evaluations_, profile_, search_budget_);
  if (!solver.solve(transaction, tree_, within).success()) return std::nullopt;
  const auto placed = transaction.placed();
  TUTTI_CHECK(placed.size() <= members_.size(), "a member is placed once");
  if (placed.empty() || placed.size() < goal_) return std::nullopt;
  return Places(placed.begin(), placed.end());
}

std::optional<EvictionSearch::Places> EvictionSearch::trial_of(std::span<const std::uint32_t> units,
                                                               const Bitset* within) {
  absence_.only(with_those_that_fall(victims_, units));
  return trial(within);
}

void EvictionSearch::make_rooms(EvictionProposal& maker) {
  const EvictionProposal::Room* best = nullptr;
  const auto consider = [&](const Bitset* within) {
    auto room = maker.make(within, best);
    if (!room) return;
    rooms_.push_back({*std::move(room), within});
    const EvictionProposal::Room& made = rooms_.back().room;
    if (made.members == members_.size() && placements_.size() > kRoomsChecked) best = &made;
  };
  rooms_.reserve(std::max<std::size_t>(placements_.size(), 1));
  if (placements_.empty()) consider(nullptr);
  for (const Placement& placement : placements_) {
    const ConfinementScope scope(cluster_, members_, placement.confinement);
    consider(&placement.nodes);
  }
  std::ranges::stable_sort(rooms_, [](const RoomInPlace& a, const RoomInPlace& b) {
    if (a.room.members != b.room.members) return a.room.members > b.room.members;
    return a.room.harm < b.room.harm;
  });
}

std::optional<EvictionSearch::Found> EvictionSearch::from_rooms() {
  if (!EvictionProposal::only_counts(cluster_, profile_, victims_, members_)) absence_.everyone();
  EvictionProposal maker(cluster_, evaluations_, profile_, victims_, absence_, members_);
  make_rooms(maker);
  if (!rooms_.empty() && rooms_.front().room.members == members_.size()) {
    goal_ = members_.size();
    if (auto found = check_rooms(goal_)) return found;
  }
  // Not for all of them, or not so easily: the solvers say for how many.
  goal_ = 0;
  absence_.everyone();
  const auto most = trial(nullptr);
  if (!most) return std::nullopt;
  const bool checked = most->size() == members_.size() && !rooms_.empty() &&
                       rooms_.front().room.members == members_.size();
  goal_ = most->size();
  return checked ? std::nullopt : check_rooms(goal_);
}

std::optional<EvictionSearch::Found> EvictionSearch::check_rooms(std::size_t goal) {
  std::size_t checked = 0;
  for (const auto& [room, within] : rooms_) {
    if (room.members < goal || ++checked > kRoomsChecked) break;
    if (auto places = trial_of(room.units, within)) {
      return spared(room.units, *std::move(places));
    }
  }
  return std::nullopt;
}

// The shortest run of units, least harmful first, whose absence lets the goal be reached. Requires
// that everyone's does.
std::optional<EvictionSearch::Found> EvictionSearch::from_prefix() {
  std::vector<std::uint32_t> order(victims_.units.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_by_harm(victims_, order);
  TUTTI_CHECK(goal_ > 0, "room for nobody");
  std::optional<Places> places;
  std::size_t enough = order.size();
  std::size_t few = 0;
  while (few < enough) {
    const std::size_t middle = few + (enough - few) / 2;
    if (auto found = trial_of(std::span(order).first(middle), nullptr)) {
      places = std::move(found);
      enough = middle;
    } else {
      few = middle + 1;
    }
  }
  if (!places) places = trial_of(order, nullptr);
  if (!places) return std::nullopt;
  TUTTI_CHECK(enough <= order.size());
  order.resize(enough);
  return spared(with_those_that_fall(victims_, order), *std::move(places));
}

// Puts back, most harmful first, whoever is not in the way of the members where they are.
EvictionSearch::Found EvictionSearch::spared(std::vector<std::uint32_t> units, Places places) {
  if (want_devices_) return spared_by_trial(std::move(units), std::move(places));
  absence_.only(units);
  Transaction transaction(cluster_);
  for (const auto& [pod, node] : places) {
    TUTTI_CHECK(transaction.place(pod, node, profile_).success(), "a placement fitted only once");
  }
  const auto put_back = [&](std::span<const std::uint32_t> some) {
    for (const std::uint32_t unit : some) absence_.put_back(unit);
    if (still_fits(some, places)) return true;
    for (const std::uint32_t unit : some) absence_.lift(unit);
    return false;
  };
  spare_gangs(units, put_back);
  sort_by_harm(victims_, units);
  std::ranges::reverse(units);
  std::vector<std::uint32_t> needed;
  const auto fallen = set_aside_fallen(units);
  if (std::ranges::any_of(units, [this](std::uint32_t unit) { return may_be_minded(unit); })) {
    spare(units, places, needed);
  } else {
    for (const std::uint32_t& unit : units) spare({&unit, 1}, places, needed);
  }
  needed.insert(needed.end(), fallen.begin(), fallen.end());
  const Harm harm = harm_of(victims_, needed);
  return {std::move(needed), std::move(places), harm, false};
}

// Gangs that fell whole stand again, or lose as few as they have to spare, where that does.
void EvictionSearch::spare_gangs(std::vector<std::uint32_t>& units, const PutBack& put_back) {
  std::vector<std::uint32_t> back;
  const auto holds = [&] {
    std::vector<std::uint32_t> rest = units;
    std::erase_if(rest, [&](std::uint32_t unit) { return !absence_.away(unit); });
    const bool complete = with_those_that_fall(victims_, rest).size() == rest.size();
    if (complete) units = std::move(rest);
    return complete;
  };
  // Bonds are listed from above: what stands there takes the gangs below it along.
  for (const Bond& bond : victims_.bonds) {
    if (!bond.whole || !is_down(bond)) continue;
    back = bond.units;
    if (put_back(back)) {
      if (holds()) continue;
      for (const std::uint32_t unit : back) absence_.lift(unit);
    }
    back.clear();
    for (const std::uint32_t& unit : bond.units) {
      if (put_back({&unit, 1})) back.push_back(unit);
    }
    if (holds()) continue;
    for (const std::uint32_t unit : back) absence_.lift(unit);
  }
}

// Whether everyone under the bond is away.
bool EvictionSearch::is_down(const Bond& bond) const {
  return std::ranges::all_of(bond.units, [&](std::uint32_t unit) { return absence_.away(unit); });
}

// Takes those out that fall with others and cannot come back by themselves.
std::vector<std::uint32_t> EvictionSearch::set_aside_fallen(
    std::vector<std::uint32_t>& units) const {
  std::vector<bool> fallen(victims_.units.size(), false);
  for (const Bond& bond : victims_.bonds) {
    if (!bond.whole || !is_down(bond)) continue;
    for (const std::uint32_t unit : bond.units) fallen[unit] = true;
  }
  std::vector<std::uint32_t> aside;
  std::ranges::copy_if(units, std::back_inserter(aside),
                       [&](std::uint32_t unit) { return fallen[unit]; });
  std::erase_if(units, [&](std::uint32_t unit) { return fallen[unit]; });
  return aside;
}

// Many at once where that does, for every look at units that members may mind asks all filters
// about all members.
void EvictionSearch::spare(std::span<const std::uint32_t> units, const Places& places,
                           std::vector<std::uint32_t>& needed) {
  if (units.empty()) return;
  for (const std::uint32_t unit : units) absence_.put_back(unit);
  if (still_fits(units, places)) return;
  for (const std::uint32_t unit : units) absence_.lift(unit);
  if (units.size() == 1) {
    needed.push_back(units.front());
    return;
  }
  spare(units.first(units.size() / 2), places, needed);
  spare(units.subspan(units.size() / 2), places, needed);
}

// Spares units by whole trials: one that comes back may want its devices from a member.
EvictionSearch::Found EvictionSearch::spared_by_trial(std::vector<std::uint32_t> units,
                                                      Places places) {
  absence_.only(units);
  spare_those_elsewhere(units, places);
  const auto put_back = [&](std::span<const std::uint32_t> some) {
    for (const std::uint32_t unit : some) absence_.put_back(unit);
    if (auto without = trial(nullptr)) {
      places = *std::move(without);
      return true;
    }
    for (const std::uint32_t unit : some) absence_.lift(unit);
    return false;
  };
  spare_gangs(units, put_back);
  const auto fallen = set_aside_fallen(units);
  sort_by_harm(victims_, units);
  std::ranges::reverse(units);
  std::erase_if(units, [&](const std::uint32_t& unit) { return put_back({&unit, 1}); });
  units.insert(units.end(), fallen.begin(), fallen.end());
  const Harm harm = harm_of(victims_, units);
  return {std::move(units), std::move(places), harm, false};
}

// All units at once that nobody of the members is beside.
void EvictionSearch::spare_those_elsewhere(std::vector<std::uint32_t>& units, Places& places) {
  Bitset taken(cluster_.nodes().slots());
  for (const auto& member : places) taken.set(member.node.index);
  std::vector<std::uint32_t> beside;
  for (const std::uint32_t index : units) {
    const VictimUnit& unit = victims_.units[index];
    const auto homes = absence_.homes().subspan(unit.first_pod, unit.pod_count);
    if (std::ranges::any_of(homes, [&](NodeId home) { return taken.test(home.index); })) {
      beside.push_back(index);
    }
  }
  beside = with_those_that_fall(victims_, beside);
  auto enough = trial_of(beside, nullptr);
  if (!enough) {
    absence_.only(units);
    return;
  }
  units = std::move(beside);
  places = *std::move(enough);
}

// Whether the members in their places bear the units being back.
bool EvictionSearch::still_fits(std::span<const std::uint32_t> units, const Places& places) {
  for (const std::uint32_t index : units) {
    const VictimUnit& unit = victims_.units[index];
    const auto homes = absence_.homes().subspan(unit.first_pod, unit.pod_count);
    if (!std::ranges::all_of(homes, [this](NodeId node) { return node_holds(node); })) return false;
  }
  if (std::ranges::none_of(units, [this](std::uint32_t unit) { return may_be_minded(unit); })) {
    return true;
  }
  return std::ranges::all_of(places, [&](const ProposedPod& member) { return accepts_on(member); });
}

bool EvictionSearch::may_be_minded(std::uint32_t unit) {
  const VictimUnit& looked_at = victims_.units[unit];
  const auto pods = std::span(victims_.pods).subspan(looked_at.first_pod, looked_at.pod_count);
  return std::ranges::any_of(pods, [this](PodId pod) { return company_.may_interfere(pod); });
}

// Whether members on the node have what they ask for; where none is, others may have overdrawn it.
bool EvictionSearch::node_holds(NodeId node) const {
  for (const ResourceId resource : resources_) {
    if (cluster_.resources().used(resource)[node.index] <=
        cluster_.resources().allocatable(resource)[node.index])
      continue;
    const auto here = cluster_.pods().on(node);
    return std::ranges::none_of(here,
                                [&](PodId pod) { return std::ranges::count(members_, pod) > 0; });
  }
  return true;
}

bool EvictionSearch::accepts_on(const ProposedPod& member) {
  TUTTI_CHECK(cluster_.pod(member.pod).node == member.node, "a member is not where it was placed");
  cluster_.take_off(member.pod);
  const bool accepted =
      evaluations_.get(profile_, cluster_.class_of(member.pod)).accepts(member.node);
  cluster_.place(member.pod, member.node);
  return accepted;
}

}  // namespace tutti::core
