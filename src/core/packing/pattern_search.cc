#include "core/packing/pattern_search.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "core/packing/packing.h"

namespace tutti::core {
namespace {

// More ways than this to fill a bin means small items, which other ways of searching place well.
constexpr std::size_t kFillingsMax = 600;
constexpr std::size_t kFillingLooksMax = 20'000;

// Prices start equal, and change by steps that get smaller and smaller.
constexpr std::int64_t kPrice = 1'000'000;
constexpr int kFirstStep = 18;  // of two
constexpr int kLastStep = 2;
constexpr int kAdjustments = 60;  // with each step

// Choices near the best fillings are tried first: in 64ths of the slack, what one bin may lose.
constexpr std::int64_t kLossParts[] = {1, 2, 4, 8, 16, 32, 64};
constexpr int kRepeats = 16;
constexpr std::size_t kChanges = 10'000;  // with each strictness
// A change that leaves n more items over is made once in 2^(n × strictness) times.
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
    if (fresh) bins_of_.push_back(0);
    ++bins_of_[at->second];
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
  if (++looks_ > kFillingLooksMax) return false;
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

// --- prices --------------------------------------------------------------------------------------

std::int64_t PatternSearch::worth(const Filling& filling,
                                  std::span<const std::int64_t> prices) const {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < prices.size(); ++k) sum += prices[k] * filling[k];
  return sum;
}

// How much more the best fillings are worth than what is wanted; held_ is then what they hold.
std::int64_t PatternSearch::slack_of(std::span<const std::int64_t> prices) {
  held_.assign(wanted_.size(), 0);
  std::int64_t slack = 0;
  for (std::size_t sort = 0; sort < fillings_.size(); ++sort) {
    budget_.take(fillings_[sort].size());
    const Filling* best = nullptr;
    std::int64_t most = -1;
    for (const Filling& filling : fillings_[sort]) {
      const std::int64_t value = worth(filling, prices);
      if (value > most) best = &filling, most = value;
    }
    TUTTI_CHECK(best != nullptr, "even an empty filling is one");
    slack += most * bins_of_[sort];
    for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += bins_of_[sort] * (*best)[k];
  }
  for (std::size_t k = 0; k < wanted_.size(); ++k) slack -= prices[k] * wanted_[k];
  return slack;
}

// What the best fillings are short of gets dearer, what they have too much of cheaper.
void PatternSearch::adjust(std::vector<std::int64_t>& prices, std::int64_t step) const {
  std::int64_t off = 0;
  for (std::size_t k = 0; k < prices.size(); ++k) off += std::abs(wanted_[k] - held_[k]);
  if (off == 0) return;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < prices.size(); ++k) {
    prices[k] = std::max<std::int64_t>(0, prices[k] + step * (wanted_[k] - held_[k]) / off);
    sum += prices[k];
  }
  if (sum == 0) return;
  const std::int64_t total = kPrice * static_cast<std::int64_t>(prices.size());
  for (std::int64_t& price : prices) price = price * total / sum;
}

// False when nothing can cover what is wanted.
bool PatternSearch::set_prices() {
  prices_.assign(wanted_.size(), kPrice);
  slack_ = std::numeric_limits<std::int64_t>::max();
  for (int step = kFirstStep; step >= kLastStep && !budget_.spent(); --step) {
    auto prices = prices_;
    for (int i = 0; i < kAdjustments; ++i) {
      const std::int64_t slack = slack_of(prices);
      if (slack < 0) return false;
      if (slack < slack_) slack_ = slack, prices_ = prices;
      adjust(prices, std::int64_t{1} << step);
    }
  }
  return true;
}

void PatternSearch::weigh_losses() {
  for (const auto& list : fillings_) {
    auto& losses = losses_.emplace_back();
    for (const Filling& filling : list) losses.push_back(worth(filling, prices_));
    const std::int64_t best = std::ranges::max(losses);
    for (std::int64_t& loss : losses) loss = best - loss;
  }
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
  const auto& losses = losses_[sort_of_[bin]];
  TUTTI_CHECK(made < losses.size(), "a filling of another sort of bin");
  lost_ += losses[made] - losses[chosen_[bin]];
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] -= filling(bin)[k];
  chosen_[bin] = made;
  for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(bin)[k];
}

// From the best filling of every bin.
void PatternSearch::start(std::int64_t loss_max) {
  candidates_.assign(fillings_.size(), {});
  for (std::size_t sort = 0; sort < fillings_.size(); ++sort) {
    for (std::size_t f = 0; f < fillings_[sort].size(); ++f) {
      if (losses_[sort][f] <= loss_max) candidates_[sort].push_back(f);
    }
  }
  open_.clear();
  chosen_.clear();
  held_.assign(wanted_.size(), 0);
  lost_ = 0;
  for (std::size_t b = 0; b < sort_of_.size(); ++b) {
    const auto& losses = losses_[sort_of_[b]];
    chosen_.push_back(static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin()));
    for (std::size_t k = 0; k < wanted_.size(); ++k) held_[k] += filling(b)[k];
    if (candidates_[sort_of_[b]].size() > 1) open_.push_back(b);
  }
}

// True when everything is covered.
bool PatternSearch::change_one(Random& random, unsigned strictness) {
  const std::size_t bin = open_[random.below(open_.size())];
  const std::size_t sort = sort_of_[bin];
  const std::size_t other = candidates_[sort][random.below(candidates_[sort].size())];
  if (lost_ + losses_[sort][other] - losses_[sort][chosen_[bin]] > slack_) return false;
  const std::int64_t cost = cost_of(bin, fillings_[sort][other]);
  if (cost > 0) {
    const auto doublings = static_cast<unsigned>(std::min<std::int64_t>(cost, 10)) * strictness;
    if (random.below(std::uint64_t{1} << doublings) != 0) return false;
  }
  choose(bin, other);
  return cost < 0 && covered();
}

bool PatternSearch::anneal(std::int64_t loss_max) {
  start(loss_max);
  if (covered()) return true;
  if (open_.empty()) return false;
  Random random(kSeed + budget_.left());
  for (unsigned strictness = 1; strictness <= kStrictest && !budget_.spent(); ++strictness) {
    budget_.take(kChanges);
    for (std::size_t change = 0; change < kChanges; ++change) {
      if (change_one(random, strictness)) return true;
    }
  }
  return false;
}

PatternSearch::Answer PatternSearch::run() {
  if (problem_.bins.empty() || !list_fillings()) return Answer::unknown;
  if (!set_prices()) return Answer::none;
  weigh_losses();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (const std::int64_t part : kLossParts) {
      if (budget_.spent()) return Answer::unknown;
      if (anneal(slack_ * part / 64)) return Answer::found;
    }
  }
  return Answer::unknown;
}

}  // namespace tutti::core
