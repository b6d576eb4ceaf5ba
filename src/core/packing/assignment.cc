#include "core/packing/assignment.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tutti::core {

Assignment::Assignment(const AssignmentProblem& problem, SearchBudget& budget)
    : problem_(problem),
      budget_(budget),
      kinds_of_lot_(problem.needs.size()),
      load_(problem.places.size()),
      missing_(problem.needs) {
  for (std::size_t kind = 0; kind < problem.kinds.size(); ++kind) {
    kinds_of_lot_[problem.kinds[kind].lot].push_back(kind);
    left_.push_back(problem.kinds[kind].count);
  }
}

Search Assignment::solve() {
  place_first_fits();
  for (std::size_t lot = 0; lot < missing_.size(); ++lot) {
    while (missing_[lot] > 0) {
      if (!place_one_more(lot)) return budget_.spent() ? Search::exhausted : Search::impossible;
    }
  }
  return Search::found;
}

// Most items find a place without anybody giving way.
void Assignment::place_first_fits() {
  for (std::size_t kind = 0; kind < problem_.kinds.size(); ++kind) {
    std::size_t& missing = missing_[problem_.kinds[kind].lot];
    problem_.kinds[kind].bins.for_each_set([&](std::size_t bin) {
      while (missing > 0 && left_[kind] > 0 && load_[bin].size() < problem_.places[bin]) {
        put(kind, bin);
        --left_[kind];
        --missing;
      }
    });
  }
}

// Breadth first over kinds, along those that could give way to each other.
bool Assignment::place_one_more(std::size_t lot) {
  arrivals_.assign(problem_.kinds.size(), {});
  reached_ = Bitset(problem_.places.size());
  open_.clear();
  for (const std::size_t kind : kinds_of_lot_[lot]) {
    if (left_[kind] > 0) arrive(kind, {Arrival::By::start});
  }
  while (!open_.empty()) {
    const std::size_t kind = open_.front();
    open_.pop_front();
    budget_.take(1 + problem_.places.size() / Bitset::kWordBits);
    if (budget_.spent()) return false;
    if (reach_bins_of(kind)) return true;
  }
  return false;
}

bool Assignment::reach_bins_of(std::size_t kind) {
  const Bitset& bins = problem_.kinds[kind].bins;
  for (std::size_t w = 0; w < bins.words().size(); ++w) {
    for (auto rest = bins.word(w) & ~reached_.word(w); rest != 0; rest &= rest - 1) {
      const std::size_t bin =
          w * Bitset::kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
      reached_.set(bin);
      if (load_[bin].size() < problem_.places[bin]) {
        carry_out(kind, bin);
        return true;
      }
      displace_from(bin, kind);
    }
  }
  return false;
}

// Every kind in the bin could give way; of its lot another one could then stand in for it.
void Assignment::displace_from(std::size_t bin, std::size_t kind) {
  for (const std::size_t there : load_[bin]) {
    if (arrivals_[there].by != Arrival::By::none) continue;
    arrive(there, {Arrival::By::giving_way, kind, bin});
    for (const std::size_t other : kinds_of_lot_[problem_.kinds[there].lot]) {
      if (left_[other] > 0) arrive(other, {Arrival::By::standing_in, there});
    }
  }
}

void Assignment::arrive(std::size_t kind, const Arrival& arrival) {
  if (arrivals_[kind].by != Arrival::By::none) return;
  arrivals_[kind] = arrival;
  open_.push_back(kind);
}

// Puts an item of the kind into the bin and lets everybody on the way back move up.
void Assignment::carry_out(std::size_t kind, std::size_t bin) {
  while (true) {
    put(kind, bin);
    Arrival arrival = arrivals_[kind];
    if (arrival.by == Arrival::By::start) {
      TUTTI_CHECK(left_[kind] > 0 && missing_[problem_.kinds[kind].lot] > 0, "an item too many");
      --left_[kind];
      --missing_[problem_.kinds[kind].lot];
      return;
    }
    if (arrival.by == Arrival::By::standing_in) {
      TUTTI_CHECK(left_[kind] > 0, "nobody is left to stand in");
      --left_[kind];
      kind = arrival.kind;
      ++left_[kind];
      arrival = arrivals_[kind];
    }
    TUTTI_CHECK(arrival.by == Arrival::By::giving_way, "an item came from nowhere");
    take(kind, arrival.bin);
    bin = arrival.bin;
    kind = arrival.kind;
  }
}

void Assignment::take(std::size_t kind, std::size_t bin) {
  const auto at = std::ranges::find(load_[bin], kind);
  TUTTI_CHECK(at != load_[bin].end(), "an item is not where it was put");
  load_[bin].erase(at);
}

std::vector<std::size_t> Assignment::competing() const {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < arrivals_.size(); ++kind) {
    if (arrivals_[kind].by != Arrival::By::none) kinds.push_back(kind);
  }
  return kinds;
}

Bitset Assignment::contested_bins() const { return reached_; }

}  // namespace tutti::core
