#include "whatif/free_search.h"

#include <algorithm>
#include <iterator>
#include <limits>
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
// Beyond this many units, those that make room with the fewest per member are looked at.
constexpr std::size_t kUnitsMax = 2'000;

}  // namespace

FreeSearch::FreeSearch(Rehearsal& rehearsal, const Headroom& headroom, const Units& units,
                       core::ResourceId scarce)
    : rehearsal_(rehearsal),
      units_(units),
      gains_(rehearsal, headroom, units, scarce),
      attempts_left_(
          std::min(kAttemptsMax,
                   kEffort / std::max<std::size_t>(rehearsal.cluster().nodes().live().count(), 1))),
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
  Choice units;
  std::ranges::transform(domain.units, std::back_inserter(units), &UnitGains::Gain::unit);
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

// Figure by figure.
FreeSearch::Weight FreeSearch::lightest_of(std::span<const UnitGains::Gain> units) const {
  Weight lightest{1, std::numeric_limits<std::size_t>::max(),
                  std::numeric_limits<std::int64_t>::max()};
  auto& [one_unit, pods, amount] = lightest;
  for (const auto& [unit, members] : units) {
    pods = std::min(pods, units_.running(unit).size());
    amount = std::min(amount, gains_.amount(unit));
  }
  return lightest;
}

// Units of which sets are made, and what a set has to gain.
struct FreeSearch::Pool {
  std::vector<UnitGains::Gain> units;  // ascending
  std::int64_t missing = 0;
  std::int64_t largest = 0;     // gain of one of them
  Weight lightest = {1, 1, 0};  // no figure of one of them is less
};

FreeSearch::Pool FreeSearch::pool_of_everyone() const {
  Pool pool{{}, gains_.missing(), gains_.largest(), {1, 1, gains_.least_amount()}};
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    pool.units.push_back({unit, gains_.gain(unit)});
  }
  return pool;
}

// For each domain those of whom a set of this size has to be made to gain enough there. Empty: it
// may take anyone, even someone who gains nothing but is in the way.
std::optional<std::vector<FreeSearch::Pool>> FreeSearch::pools_by_domain(std::size_t size) const {
  std::vector<Pool> pools;
  for (const UnitGains::Domain& domain : gains_.domains()) {
    if (domain.least > size) continue;
    const std::int64_t others = static_cast<std::int64_t>(size - 1) * domain.largest;
    const std::int64_t gain_min = domain.missing - others;
    if (gain_min <= 0) return std::nullopt;
    Pool& pool = pools.emplace_back(Pool{{}, domain.missing, domain.largest});
    std::ranges::copy_if(domain.units, std::back_inserter(pool.units),
                         [&](const UnitGains::Gain& gain) { return gain.members >= gain_min; });
    pool.lightest = lightest_of(pool.units);
  }
  return pools;
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
  std::optional<Pool> everyone;
  for (std::size_t size = 1; size <= largest; ++size) {
    Enumeration state{size, {}, best, weight_of(best)};
    const auto pools = pools_by_domain(size);
    if (!pools && !everyone) everyone = pool_of_everyone();
    const auto try_all = [&](const Pool& pool) { return try_sets(state, pool, 0, {}, 0); };
    const bool went_through = pools ? std::ranges::all_of(*pools, try_all) : try_all(*everyone);
    const bool improved = state.best != best;
    best = std::move(state.best);
    if (improved || !went_through) return;
  }
}

// All sets that begin like this one. False: the effort is spent.
bool FreeSearch::try_sets(Enumeration& state, const Pool& pool, std::size_t from,
                          const Weight& weight, std::int64_t gained) {
  if (steps_left_ == 0) return false;
  --steps_left_;
  const std::size_t more = state.more();
  if (!may_be_lighter(state, pool, weight)) return true;
  if (gained < pool.missing - static_cast<std::int64_t>(more) * pool.largest) return true;
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
      pool.missing - static_cast<std::int64_t>(more - 1) * pool.largest - gained;
  for (std::size_t i = from; i + more <= pool.units.size(); ++i) {
    const auto [unit, gain] = pool.units[i];
    if (gain < too_little && steps_left_ > 0) {
      --steps_left_;
      continue;
    }
    state.set.push_back(unit);
    const bool goes_on = try_sets(state, pool, i + 1, with(weight, unit), gained + gain);
    state.set.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

// Whether the set may weigh less than the best once it has grown.
bool FreeSearch::may_be_lighter(const Enumeration& state, const Pool& pool, const Weight& weight) {
  if (state.best.empty()) return true;
  const std::size_t more = state.more();
  const auto& [units, pods, amount] = weight;
  const auto& [one_unit, pods_min, amount_min] = pool.lightest;
  const Weight least{units + more * one_unit, pods + more * pods_min,
                     amount + static_cast<std::int64_t>(more) * amount_min};
  return least < state.best_weight;
}

}  // namespace tutti::whatif
