#include "core/pattern_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/packing.h"

namespace tutti::core {
namespace {

// More ways than this to fill a bin means small items, which other ways of searching place well.
constexpr std::size_t kFillingsMax = 600;
constexpr std::size_t kLooksMax = 20'000;
// How long a filling that was given up stays out of use.
constexpr std::size_t kRoundsAway = 12;

}  // namespace

PatternSearch::PatternSearch(const PackingProblem& problem, std::span<const std::size_t> wanted,
                             SearchBudget& budget)
    : problem_(problem), budget_(budget), order_(problem.kinds.size()) {
  for (const std::size_t count : wanted) wanted_.push_back(static_cast<std::int64_t>(count));
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::size_t kind) {
    return std::accumulate(problem.kinds[kind].amounts.begin(), problem.kinds[kind].amounts.end(),
                           std::int64_t{0});
  });
}

std::span<const std::uint32_t> PatternSearch::filling(std::size_t bin) const {
  return fillings_[sort_of_[bin]][chosen_[bin]];
}

// --- ways to fill a bin --------------------------------------------------------------------------

// False when some bin has too many.
bool PatternSearch::list_fillings() {
  std::map<std::pair<std::vector<std::int64_t>, std::vector<bool>>, std::size_t> known;
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    std::vector<bool> allowed;
    for (const auto& kind : problem_.kinds) allowed.push_back(kind.bins.test(b));
    auto free = problem_.bins[b];
    const auto [at, fresh] = known.try_emplace({free, allowed}, fillings_.size());
    sort_of_.push_back(at->second);
    if (!fresh) continue;
    Filling made(problem_.kinds.size(), 0);
    fillings_.emplace_back();
    looks_ = 0;
    if (!extend(free, allowed, 0, made, fillings_.back())) return false;
  }
  return true;
}

// Adds the maximal fillings that go on from `made` with the kinds from `kind` on.
bool PatternSearch::extend(std::vector<std::int64_t>& free, const std::vector<bool>& allowed,
                           std::size_t kind, Filling& made, std::vector<Filling>& list) {
  if (++looks_ > kLooksMax) return false;
  if (kind == order_.size()) {
    if (maximal(free, allowed, made)) list.push_back(made);
    return list.size() <= kFillingsMax;
  }
  const std::size_t k = order_[kind];
  const auto& amounts = problem_.kinds[k].amounts;
  std::int64_t most = allowed[k] ? wanted_[k] : 0;
  for (std::size_t d = 0; d < free.size(); ++d) {
    if (amounts[d] > 0) most = std::min(most, std::max<std::int64_t>(free[d], 0) / amounts[d]);
  }
  bool listed = true;
  for (std::int64_t count = most; count >= 0 && listed; --count) {
    for (std::size_t d = 0; d < free.size(); ++d) free[d] -= count * amounts[d];
    made[k] = static_cast<std::uint32_t>(count);
    listed = extend(free, allowed, kind + 1, made, list);
    for (std::size_t d = 0; d < free.size(); ++d) free[d] += count * amounts[d];
  }
  made[k] = 0;
  return listed;
}

// Whether nothing more that is wanted fits.
bool PatternSearch::maximal(std::span<const std::int64_t> free, const std::vector<bool>& allowed,
                            const Filling& made) const {
  for (std::size_t k = 0; k < made.size(); ++k) {
    if (!allowed[k] || made[k] >= wanted_[k]) continue;
    bool fits = true;
    for (std::size_t d = 0; d < free.size(); ++d) {
      fits = fits && problem_.kinds[k].amounts[d] <= free[d];
    }
    if (fits) return false;
  }
  return true;
}

// --- one for every bin ---------------------------------------------------------------------------

std::int64_t PatternSearch::shortage() const {
  std::int64_t total = 0;
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    total += weight_[k] * std::max<std::int64_t>(0, wanted_[k] - held_[k]);
  }
  return total;
}

std::int64_t PatternSearch::shortage_with(std::size_t bin, const Filling& other) const {
  const auto now = filling(bin);
  std::int64_t total = 0;
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    const std::int64_t held = held_[k] - now[k] + other[k];
    total += weight_[k] * std::max<std::int64_t>(0, wanted_[k] - held);
  }
  return total;
}

void PatternSearch::choose(std::size_t bin, std::size_t made) {
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] -= filling(bin)[k];
  chosen_[bin] = made;
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(bin)[k];
}

// One bin after another takes what covers most of what is still wanted.
void PatternSearch::start() {
  weight_.assign(wanted_.size(), 1);
  held_.assign(wanted_.size(), 0);
  chosen_.assign(problem_.bins.size(), 0);
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    not_before_.emplace_back(fillings_[sort_of_[b]].size(), 0);
    std::int64_t best = -1;
    for (std::size_t f = 0; f < fillings_[sort_of_[b]].size(); ++f) {
      std::int64_t covers = 0;
      for (std::size_t k = 0; k < wanted_.size(); ++k) {
        const std::int64_t left = std::max<std::int64_t>(0, wanted_[k] - held_[k]);
        covers += std::min<std::int64_t>(fillings_[sort_of_[b]][f][k], left);
      }
      if (covers > best) best = covers, chosen_[b] = f;
    }
    for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(b)[k];
  }
}

PatternSearch::Change PatternSearch::best_change(std::size_t round) {
  Change best{0, 0, std::numeric_limits<std::int64_t>::max()};
  // Ties go to another bin each round, so that no part of the cluster is worn out first.
  for (std::size_t i = 0; i < problem_.bins.size(); ++i) {
    const std::size_t bin = (i + round) % problem_.bins.size();
    const auto& list = fillings_[sort_of_[bin]];
    budget_.take(list.size() * wanted_.size() / 4 + 1);
    for (std::size_t f = 0; f < list.size(); ++f) {
      if (f == chosen_[bin] || not_before_[bin][f] > round) continue;
      const std::int64_t made = shortage_with(bin, list[f]);
      if (made < best.shortage) best = {bin, f, made};
    }
  }
  return best;
}

void PatternSearch::weigh_what_is_short() {
  for (std::size_t k = 0; k < wanted_.size(); ++k) weight_[k] += held_[k] < wanted_[k] ? 1 : 0;
}

bool PatternSearch::run() {
  if (problem_.bins.empty() || !list_fillings()) return false;
  start();
  for (std::size_t round = 1; !budget_.spent(); ++round) {
    const std::int64_t now = shortage();
    if (now == 0) return true;
    const Change change = best_change(round);
    if (change.shortage == std::numeric_limits<std::int64_t>::max()) return false;
    not_before_[change.bin][chosen_[change.bin]] = round + kRoundsAway;
    choose(change.bin, change.filling);
    if (change.shortage >= now) weigh_what_is_short();
  }
  return false;
}

}  // namespace tutti::core
