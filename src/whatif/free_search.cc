#include "whatif/free_search.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace tutti::whatif {
namespace {

// What looking for something smaller may cost, in attempts times nodes.
constexpr std::size_t kEffort = 20'000;
constexpr std::size_t kAttemptsMax = 1'000;
// Sets begun, most of which are ruled out by counting.
constexpr std::size_t kStepsMax = 200'000;
// Domains that are looked into, where none takes as few units as counting says.
constexpr std::size_t kDomainsMax = 4;
// Of more units than this, those that make room with the fewest per member are looked at.
constexpr std::size_t kUnitsMax = 2'000;

}  // namespace

FreeSearch::FreeSearch(Rehearsal& rehearsal, const Headroom& headroom, const Units& units,
                       core::ResourceId scarce)
    : rehearsal_(rehearsal),
      units_(units),
      gains_(rehearsal, headroom, units, scarce),
      attempts_left_(
          std::min(kAttemptsMax,
                   kEffort / std::max<std::size_t>(rehearsal.cluster().live_nodes().count(), 1))),
      steps_left_(kStepsMax) {}

FreeSearch::Choice FreeSearch::run() {
  Choice best;
  if (gains_.domains().empty()) return best;
  propose(best);
  spare(best);
  improve(best);
  return best;
}

const Rehearsal::Outcome& FreeSearch::outcome_of(const Choice& choice) {
  for (const auto* known : {&worked_, &failed_}) {
    if (!known->first.empty() && known->first == choice) return known->second;
  }
  Rehearsal::Outcome outcome = rehearse(choice);
  auto& kept = outcome.runs ? worked_ : failed_;
  kept = {choice, std::move(outcome)};
  return kept.second;
}

Rehearsal::Outcome FreeSearch::rehearse(const Choice& choice) {
  return rehearsal_.around([&](core::WhatIf& what_if) {
    for (const std::uint32_t unit : choice) what_if.end_pods(units_.pods(unit));
  });
}

FreeSearch::Weight FreeSearch::with(Weight weight, std::uint32_t unit) const {
  auto& [units, pods, amount] = weight;
  ++units;
  pods += units_.running(unit).size();
  amount += gains_.amount(unit);
  return weight;
}

FreeSearch::Weight FreeSearch::weight_of(const Choice& choice) const {
  return std::accumulate(choice.begin(), choice.end(), Weight{},
                         [&](const Weight& sum, std::uint32_t unit) { return with(sum, unit); });
}

void FreeSearch::propose(Choice& best) {
  std::size_t looked_at = 0;
  for (const UnitGains::Domain& domain : gains_.domains()) {
    if (++looked_at > kDomainsMax || (!best.empty() && best.size() <= domain.least)) break;
    Choice choice = fewest_in(domain);
    if (choice.empty() || !works(choice)) continue;
    if (best.empty() || weight_of(choice) < weight_of(best)) best = std::move(choice);
  }
  if (!best.empty() || units_.size() > attempts_left_) return;
  Choice everyone(units_.size());
  std::iota(everyone.begin(), everyone.end(), 0U);
  if (works(everyone)) best = std::move(everyone);
}

// As the scheduler's own search for victims finds them, whatever priority they have.
FreeSearch::Choice FreeSearch::fewest_in(const UnitGains::Domain& domain) {
  Choice units = domain.units;
  if (units.size() > kUnitsMax) {
    std::ranges::stable_sort(units, std::ranges::greater{},
                             [&](std::uint32_t unit) { return gains_.gain(unit); });
    units.resize(std::max(kUnitsMax, std::min(units.size(), 4 * domain.least)));
  }
  std::vector<core::WhatIf::PodSet> sets;
  sets.reserve(units.size());
  for (const std::uint32_t unit : units) sets.push_back(units_.running(unit));
  const auto found = rehearsal_.fewest_to_end(sets);
  Choice choice;
  if (!found) return choice;
  std::ranges::transform(*found, std::back_inserter(choice),
                         [&](std::uint32_t index) { return units[index]; });
  std::ranges::sort(choice);
  return choice;
}

// Takes out whoever need not end, those with the most pods first. The search for victims has done
// so for large sets, as far as it could.
void FreeSearch::spare(Choice& choice) {
  if (choice.size() > attempts_left_) return;
  attempts_left_ -= choice.size();
  Choice order = choice;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t unit) { return units_.running(unit).size(); });
  for (const std::uint32_t unit : order) {
    if (choice.size() <= 1) return;
    Choice fewer = choice;
    std::erase(fewer, unit);
    if (works(fewer)) choice = std::move(fewer);
  }
}

// Sets of one size, in lexical order.
struct FreeSearch::Enumeration {
  std::size_t size = 0;
  Choice set = {};
  Choice best = {};
  Weight best_weight = {};

  std::size_t more() const { return size - set.size(); }
};

// Lighter sets, small ones first, as far as the effort allows to look at every one.
void FreeSearch::improve(Choice& best) {
  const std::size_t largest = best.empty() ? units_.size() : best.size();
  for (std::size_t size = 1; size <= largest; ++size) {
    Enumeration state{size, {}, best, weight_of(best)};
    const bool went_through = try_sets(state, 0, {}, 0);
    const bool improved = state.best != best;
    best = std::move(state.best);
    if (improved || !went_through) return;
  }
}

// All sets that begin like this one. False: the effort is spent.
bool FreeSearch::try_sets(Enumeration& state, std::uint32_t from, const Weight& weight,
                          std::int64_t gained) {
  if (steps_left_ == 0) return false;
  --steps_left_;
  const std::size_t more = state.more();
  if (!may_be_lighter(state, weight)) return true;
  if (gained < gains_.missing() - static_cast<std::int64_t>(more) * gains_.largest()) return true;
  if (more == 0) {
    if (attempts_left_ == 0) return false;
    --attempts_left_;
    if (!works(state.set)) return true;
    state.best = state.set;
    state.best_weight = weight;
    return true;
  }
  // Most units gain too little to be worth a step of their own; each is counted as one all the
  // same.
  const std::int64_t too_little =
      gains_.missing() - static_cast<std::int64_t>(more - 1) * gains_.largest() - gained;
  for (std::uint32_t unit = from; unit + more <= units_.size(); ++unit) {
    if (gains_.gain(unit) < too_little && steps_left_ > 0) {
      --steps_left_;
      continue;
    }
    state.set.push_back(unit);
    const bool goes_on = try_sets(state, unit + 1, with(weight, unit), gained + gains_.gain(unit));
    state.set.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

// Whether the set may weigh less than the best once it has grown.
bool FreeSearch::may_be_lighter(const Enumeration& state, const Weight& weight) const {
  if (state.best.empty()) return true;
  const std::size_t more = state.more();
  const auto& [units, pods, amount] = weight;
  const Weight least{units + more, pods + more,
                     amount + static_cast<std::int64_t>(more) * gains_.least_amount()};
  return least < state.best_weight;
}

}  // namespace tutti::whatif
