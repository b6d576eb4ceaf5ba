#include "core/packing/packing.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/digest.h"
#include "core/packing/assignment.h"
#include "core/packing/pattern_search.h"

namespace tutti::core {
namespace {

constexpr std::size_t kNoBin = static_cast<std::size_t>(-1);
constexpr int kRules = 3;
// Chains of pushing out longer than this find little that restarting does not.
constexpr int kRepairDepth = 3;
constexpr std::size_t kRepairSteps = 200'000;
// Each heuristic must leave budget for the exact search.
constexpr std::size_t kPatternParts = 2;
constexpr std::int64_t kMillion = 1'000'000;
__extension__ typedef __int128 Wide;  // products of two amounts

std::int64_t share(std::int64_t amount, std::int64_t of) {
  if (amount <= 0) return 0;
  return of <= 0 ? kMillion : static_cast<std::int64_t>(Wide{amount} * kMillion / of);
}

}  // namespace

Packing::Packing(const PackingProblem& problem, SearchBudget& budget)
    : problem_(problem), kinds_(problem.kinds), budget_(budget) {
  dimensions_ = kinds_.empty() ? 0 : kinds_.front().amounts.size();
  for (const auto& kind : kinds_) {
    amounts_.insert(amounts_.end(), kind.amounts.begin(), kind.amounts.end());
  }
  total_.assign(dimensions_, 0);
  for (const auto& bin : problem_.bins) {
    for (std::size_t d = 0; d < dimensions_; ++d) total_[d] += std::max<std::int64_t>(bin[d], 0);
  }
  start_over();
  measure();
}

void Packing::start_over() {
  free_.clear();
  for (const auto& bin : problem_.bins) free_.insert(free_.end(), bin.begin(), bin.end());
  load_.assign(problem_.bins.size() * kinds_.size(), 0);
  left_.clear();
  for (const auto& kind : kinds_) left_.push_back(kind.count);
  missing_ = problem_.needs;
  moves_.clear();
  state_ = 0;
}

void Packing::measure() {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    std::int64_t largest = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      largest = std::max(largest, share(amount(k, d), total_[d]));
    }
    size_.push_back(largest);
  }
}

Search Packing::solve() {
  if (out_of_reach()) return Search::impossible;
  if (greedy(Leftovers::give_up)) return Search::found;
  if (all_ask_for_the_same()) return assign();
  if (const Search answer = fill_by_patterns(); answer != Search::exhausted) return answer;
  if (greedy(Leftovers::repair)) return Search::found;
  start_over();
  if (descend()) return Search::found;
  return budget_.spent() ? Search::exhausted : Search::impossible;
}

std::vector<std::vector<std::size_t>> Packing::placed() const {
  std::vector<std::vector<std::size_t>> bins(kinds_.size());
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      bins[k].insert(bins[k].end(), load_[b * kinds_.size() + k], b);
    }
  }
  return bins;
}

// --- counting ------------------------------------------------------------------------------------

std::size_t Packing::fitting(std::size_t kind, std::size_t bin) const {
  if (!kinds_[kind].bins.test(bin)) return 0;
  std::int64_t fit = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < dimensions_; ++d) {
    if (amount(kind, d) > 0) fit = std::min(fit, free(bin, d) / amount(kind, d));
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(fit, 0));
}

bool Packing::out_of_reach() const {
  std::vector<std::size_t> reach(problem_.needs.size(), 0);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    std::size_t room = 0;
    for (std::size_t b = 0; b < problem_.bins.size() && room < kinds_[k].count; ++b) {
      room += std::min(fitting(k, b), kinds_[k].count);
    }
    reach[kinds_[k].lot] += std::min(room, kinds_[k].count);
  }
  for (std::size_t lot = 0; lot < reach.size(); ++lot) {
    if (reach[lot] < problem_.needs[lot]) return true;
  }
  return !totals_suffice();
}

// What the cheapest missing items of the lot ask for.
std::int64_t Packing::least_total(std::size_t dimension, std::size_t lot) const {
  std::vector<std::pair<std::int64_t, std::size_t>> asked;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].lot == lot) asked.emplace_back(amount(k, dimension), left_[k]);
  }
  std::ranges::sort(asked);
  std::int64_t total = 0;
  std::size_t missing = missing_[lot];
  for (const auto& [each, count] : asked) {
    const std::size_t taken = std::min(missing, count);
    total += each * static_cast<std::int64_t>(taken);
    missing -= taken;
  }
  return total;
}

bool Packing::totals_suffice() const {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    std::int64_t asked = 0;
    for (std::size_t lot = 0; lot < missing_.size(); ++lot) {
      if (missing_[lot] > 0) asked += least_total(d, lot);
    }
    std::int64_t there = 0;
    for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
      there += std::max<std::int64_t>(free(b, d), 0);
    }
    if (asked > there) return false;
  }
  return true;
}

// --- equal items ---------------------------------------------------------------------------------

bool Packing::all_ask_for_the_same() const {
  return std::ranges::all_of(
      kinds_, [&](const auto& kind) { return kind.amounts == kinds_.front().amounts; });
}

Search Packing::assign() {
  start_over();
  AssignmentProblem problem;
  for (const auto& kind : kinds_) problem.kinds.push_back({kind.count, kind.lot, kind.bins});
  problem.needs = problem_.needs;
  problem.places.assign(problem_.bins.size(), 0);
  const std::size_t items = std::accumulate(left_.begin(), left_.end(), std::size_t{0});
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    kinds_[k].bins.for_each_set(
        [&](std::size_t b) { problem.places[b] = std::min(fitting(k, b), items); });
  }
  Assignment assignment(problem, budget_);
  const Search answer = assignment.solve();
  if (answer == Search::impossible) {
    competing_ = assignment.competing();
    contested_ = assignment.contested_bins();
  }
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    for (const std::size_t k : assignment.load()[b]) ++load(b, k);
  }
  return answer;
}

// --- one item ------------------------------------------------------------------------------------

bool Packing::fits(std::size_t kind, std::size_t bin) const {
  if (!kinds_[kind].bins.test(bin)) return false;
  const std::int64_t* asked = &amounts_[kind * dimensions_];
  const std::int64_t* there = &free_[bin * dimensions_];
  for (std::size_t d = 0; d < dimensions_; ++d) {
    if (asked[d] > there[d]) return false;
  }
  return true;
}

std::uint64_t Packing::digest_of(std::size_t kind, std::size_t bin) const {
  Digest digest;
  digest.add(std::uint64_t{kind});
  digest.add(std::uint64_t{bin});
  return digest.value();
}

void Packing::put(std::size_t kind, std::size_t bin) {
  for (std::size_t d = 0; d < dimensions_; ++d) free_[bin * dimensions_ + d] -= amount(kind, d);
  ++load(bin, kind);
  state_ += digest_of(kind, bin);
  moves_.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(bin), true});
}

void Packing::take(std::size_t kind, std::size_t bin) {
  TUTTI_CHECK(load(bin, kind) > 0, "an item is not where it was put");
  for (std::size_t d = 0; d < dimensions_; ++d) free_[bin * dimensions_ + d] += amount(kind, d);
  --load(bin, kind);
  state_ -= digest_of(kind, bin);
  moves_.push_back({static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(bin), false});
}

void Packing::undo_to(std::size_t moves) {
  TUTTI_CHECK(moves <= moves_.size(), "these moves are undone already");
  while (moves_.size() > moves) {
    const Move last = moves_.back();
    last.put ? take(last.kind, last.bin) : put(last.kind, last.bin);
    moves_.resize(moves_.size() - 2);
  }
}

// How much the bin would have left, by one of several measures: the smaller the tighter.
std::int64_t Packing::tightness(std::size_t kind, std::size_t bin, int rule) const {
  std::int64_t sum = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const std::int64_t rest = share(free(bin, d) - amount(kind, d), total_[d]);
    sum += rest;
    most = std::max(most, rest);
    if (amount(kind, d) > 0) least = std::min(least, rest);
  }
  if (rule == 0) return sum;
  return rule == 1 ? least : most - least;
}

std::size_t Packing::tightest_bin(std::size_t kind, int rule) {
  std::size_t best = kNoBin;
  std::int64_t least = 0;
  budget_.take(problem_.bins.size());
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    if (!fits(kind, b)) continue;
    const std::int64_t tight = tightness(kind, b, rule);
    if (best != kNoBin && tight >= least) continue;
    best = b;
    least = tight;
  }
  return best;
}

// --- greedy --------------------------------------------------------------------------------------

// How many of each kind to pack: the smallest that reach every lot's need.
std::vector<std::size_t> Packing::cheapest() const {
  std::vector<std::size_t> kinds(kinds_.size());
  std::iota(kinds.begin(), kinds.end(), 0);
  std::ranges::stable_sort(kinds, {}, [&](std::size_t k) { return size_[k]; });
  std::vector<std::size_t> wanted(kinds_.size(), 0);
  auto missing = problem_.needs;
  for (const std::size_t k : kinds) {
    wanted[k] = std::min(missing[kinds_[k].lot], kinds_[k].count);
    missing[kinds_[k].lot] -= wanted[k];
  }
  return wanted;
}

// Kinds from large to small: by their largest share, by the sum of shares, by each dimension.
std::vector<std::vector<std::size_t>> Packing::orders() const {
  std::vector<std::size_t> kinds(kinds_.size());
  std::iota(kinds.begin(), kinds.end(), 0);
  std::vector<std::vector<std::size_t>> made;
  const auto add = [&](const auto& measure) {
    auto order = kinds;
    std::ranges::stable_sort(order, std::ranges::greater{}, measure);
    if (std::ranges::find(made, order) == made.end()) made.push_back(std::move(order));
  };
  add([&](std::size_t k) { return size_[k]; });
  add([&](std::size_t k) {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) sum += share(amount(k, d), total_[d]);
    return sum;
  });
  for (std::size_t d = 0; d < dimensions_; ++d) {
    add([&](std::size_t k) { return amount(k, d); });
  }
  return made;
}

bool Packing::greedy(Leftovers leftovers) {
  for (const auto& order : orders()) {
    for (int rule = 0; rule < kRules; ++rule) {
      if (greedy(order, rule, leftovers)) return true;
      if (budget_.spent()) return false;
    }
  }
  return false;
}

bool Packing::greedy(std::span<const std::size_t> order, int rule, Leftovers leftovers) {
  start_over();
  auto wanted = cheapest();
  for (const std::size_t k : order) {
    while (wanted[k] > 0) {
      const std::size_t bin = tightest_bin(k, rule);
      if (budget_.spent()) return false;
      if (bin == kNoBin) break;
      put(k, bin);
      --wanted[k];
    }
  }
  const bool all = std::ranges::all_of(wanted, [](std::size_t left) { return left == 0; });
  if (all || leftovers == Leftovers::give_up) return all;
  for (const std::size_t k : order) {
    for (; wanted[k] > 0; --wanted[k]) {
      if (!repair(k)) return false;
    }
  }
  return true;
}

// Exhausted when patterns neither find nor rule out a packing.
Search Packing::fill_by_patterns() {
  const auto wanted = cheapest();
  const SearchBudget granted = budget_.part(kPatternParts);
  SearchBudget part = granted;
  PatternSearch patterns(problem_, wanted, part);
  const auto answer = patterns.run();
  budget_.settle(granted, part);
  if (answer != PatternSearch::Answer::found) {
    // Where some items may stay out, others than the cheapest might still do.
    bool all = true;
    for (std::size_t k = 0; k < kinds_.size(); ++k) all = all && wanted[k] == kinds_[k].count;
    return all && answer == PatternSearch::Answer::none ? Search::impossible : Search::exhausted;
  }
  start_over();
  auto left = wanted;
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      for (std::size_t i = 0; i < patterns.filling(b)[k] && left[k] > 0; ++i, --left[k]) put(k, b);
    }
  }
  return Search::found;
}

// --- repair --------------------------------------------------------------------------------------

bool Packing::repair(std::size_t kind) {
  for (int depth = 1; depth <= kRepairDepth; ++depth) {
    std::size_t steps = std::min(kRepairSteps, budget_.left());
    const bool found = find_place(kind, depth, steps);
    budget_.take(std::min(kRepairSteps, budget_.left()) - steps);
    if (found) return true;
  }
  return false;
}

bool Packing::find_place(std::size_t kind, int depth, std::size_t& steps) {
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    if (!fits(kind, b)) continue;
    put(kind, b);
    return true;
  }
  steps -= std::min(steps, problem_.bins.size());
  if (depth == 0) return false;
  for (std::size_t b = 0; b < problem_.bins.size() && steps > 0; ++b) {
    if (kinds_[kind].bins.test(b) && push_out(kind, b, depth, steps)) return true;
  }
  return false;
}

// Makes room for the item in this bin at the cost of items of one or two other kinds.
bool Packing::push_out(std::size_t kind, std::size_t bin, int depth, std::size_t& steps) {
  const std::size_t before = moves_.size();
  for (std::size_t other = 0; other < kinds_.size(); ++other) {
    const std::size_t count = to_push_out(kind, bin, other);
    if (count > 0) {
      for (std::size_t i = 0; i < count; ++i) take(other, bin);
      put(kind, bin);
      if (place_all(other, count, depth - 1, steps)) return true;
      undo_to(before);
      continue;
    }
    if (load(bin, other) == 0 || size_[other] >= size_[kind]) continue;
    take(other, bin);
    for (std::size_t third = other + 1; third < kinds_.size() && steps > 0; ++third) {
      const std::size_t more = to_push_out(kind, bin, third);
      if (more == 0) continue;
      const std::size_t inner = moves_.size();
      for (std::size_t i = 0; i < more; ++i) take(third, bin);
      put(kind, bin);
      if (place_all(other, 1, depth - 1, steps) && place_all(third, more, depth - 1, steps)) {
        return true;
      }
      undo_to(inner);
    }
    undo_to(before);
  }
  return false;
}

bool Packing::place_all(std::size_t kind, std::size_t count, int depth, std::size_t& steps) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!find_place(kind, depth, steps)) return false;
  }
  return true;
}

// How many items of the other kind must leave the bin for the item to fit; 0 when that is no way.
// An item at least as large in everything would only leave a smaller hole.
std::size_t Packing::to_push_out(std::size_t kind, std::size_t bin, std::size_t other) const {
  const std::size_t there = load_[bin * kinds_.size() + other];
  if (there == 0 || other == kind) return 0;
  std::int64_t count = 1;
  bool smaller = false;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const std::int64_t gives = amount(other, d);
    const std::int64_t lacks = amount(kind, d) - free(bin, d);
    smaller = smaller || gives < amount(kind, d);
    if (lacks <= 0) continue;
    if (gives == 0) return 0;
    count = std::max(count, (lacks + gives - 1) / gives);
  }
  return smaller && count <= static_cast<std::int64_t>(there) ? static_cast<std::size_t>(count) : 0;
}

// --- depth first ---------------------------------------------------------------------------------

// Bins the next item of the kind may go into, one of each sort of equal ones, tightest first.
std::vector<std::size_t> Packing::open_bins(std::size_t kind) const {
  std::vector<std::pair<std::int64_t, std::size_t>> ranked;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t b = 0; b < problem_.bins.size(); ++b) {
    if (!fits(kind, b)) continue;
    Digest digest;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      digest.add(static_cast<std::uint64_t>(free(b, d)));
    }
    for (const auto& each : kinds_) digest.add(std::uint64_t{each.bins.test(b)});
    if (seen.insert(digest.value()).second) ranked.emplace_back(tightness(kind, b, 0), b);
  }
  std::ranges::sort(ranked);
  std::vector<std::size_t> bins;
  for (const auto& [tight, bin] : ranked) bins.push_back(bin);
  return bins;
}

bool Packing::lots_in_reach(std::span<const std::vector<std::size_t>> open) const {
  std::vector<std::size_t> reach(missing_.size(), 0);
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!open[k].empty()) reach[kinds_[k].lot] += left_[k];
  }
  for (std::size_t lot = 0; lot < reach.size(); ++lot) {
    if (reach[lot] < missing_[lot]) return false;
  }
  return true;
}

bool Packing::descend() {
  if (std::ranges::all_of(missing_, [](std::size_t missing) { return missing == 0; })) return true;
  if (budget_.spent() || !failed_.insert(state_).second) return false;
  std::vector<std::vector<std::size_t>> open(kinds_.size());
  std::size_t hardest = kNoBin;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (left_[k] == 0 || missing_[kinds_[k].lot] == 0) continue;
    budget_.take(problem_.bins.size());
    open[k] = open_bins(k);
    if (open[k].empty()) continue;
    if (hardest == kNoBin || open[k].size() < open[hardest].size()) hardest = k;
  }
  if (hardest == kNoBin || !lots_in_reach(open) || !totals_suffice()) return false;
  for (const std::size_t bin : open[hardest]) {
    const std::size_t before = moves_.size();
    put(hardest, bin);
    --left_[hardest];
    --missing_[kinds_[hardest].lot];
    if (descend()) return true;
    ++missing_[kinds_[hardest].lot];
    ++left_[hardest];
    undo_to(before);
    if (budget_.spent()) return false;
  }
  return leave_out(hardest);
}

// The last way: one item of the kind stays out.
bool Packing::leave_out(std::size_t kind) {
  const std::size_t lot = kinds_[kind].lot;
  std::size_t left = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) left += kinds_[k].lot == lot ? left_[k] : 0;
  if (left <= missing_[lot]) return false;
  --left_[kind];
  state_ += digest_of(kind, kNoBin);
  if (descend()) return true;
  state_ -= digest_of(kind, kNoBin);
  ++left_[kind];
  return false;
}

}  // namespace tutti::core
