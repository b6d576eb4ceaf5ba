#include "core/pattern_search.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "core/packing.h"

namespace tutti::core {
namespace {

// More ways than this to fill a bin means small items, which other ways of searching place well.
constexpr std::size_t kFillingsMax = 600;
constexpr std::size_t kLooksMax = 20'000;
constexpr std::size_t kChangesPerRound = 20'000;
// A change that leaves n more items over is made once in 2^(n × strictness) times; strictness goes
// from the first of these to the last, then starts again.
constexpr unsigned kLoosest = 1;
constexpr unsigned kStrictest = 6;
constexpr std::uint64_t kSeed = 1;

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

bool PatternSearch::covered() const {
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    if (held_[k] < wanted_[k]) return false;
  }
  return true;
}

// How many more items would be left over.
std::int64_t PatternSearch::cost_of(std::size_t bin, const Filling& other) const {
  const auto now = filling(bin);
  std::int64_t cost = 0;
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    const std::int64_t before = wanted_[k] - held_[k];
    const std::int64_t after = before + now[k] - other[k];
    cost += std::max<std::int64_t>(0, after) - std::max<std::int64_t>(0, before);
  }
  return cost;
}

void PatternSearch::choose(std::size_t bin, std::size_t made) {
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] -= filling(bin)[k];
  chosen_[bin] = made;
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(bin)[k];
}

void PatternSearch::start() {
  held_.assign(wanted_.size(), 0);
  chosen_.assign(problem_.bins.size(), 0);
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(b)[k];
  }
}

bool PatternSearch::run() {
  if (problem_.bins.empty() || !list_fillings()) return false;
  start();
  Random random(kSeed);
  unsigned strictness = kLoosest;
  for (; !budget_.spent(); strictness = strictness == kStrictest ? kLoosest : strictness + 1) {
    budget_.take(kChangesPerRound);
    for (std::size_t change = 0; change < kChangesPerRound; ++change) {
      const std::size_t bin = random.below(problem_.bins.size());
      const auto& list = fillings_[sort_of_[bin]];
      const std::size_t other = random.below(list.size());
      const std::int64_t cost = cost_of(bin, list[other]);
      const auto doublings =
          static_cast<unsigned>(std::clamp<std::int64_t>(cost, 0, 10)) * strictness;
      if (cost > 0 && random.below(std::uint64_t{1} << std::min(doublings, 60U)) != 0) continue;
      choose(bin, other);
      if (cost < 0 && covered()) return true;
    }
  }
  return covered();
}

}  // namespace tutti::core
