#include "quota/partial.h"

#include <utility>

#include "base/check.h"
#include "quota/amount.h"

namespace tutti::quota {
namespace {

Counts counts_after(std::span<const PodSetRange> podsets, std::int64_t step, std::int64_t steps) {
  Counts counts;
  for (const PodSetRange& each : podsets) {
    const Amount less = steps == 0 ? 0 : Amount{each.count - each.min_count} * step / steps;
    counts.push_back(each.count - to_int64(less));
  }
  return counts;
}

}  // namespace

std::optional<Counts> largest_admissible(std::span<const PodSetRange> podsets,
                                         const std::function<bool(const Counts&)>& admissible) {
  std::int64_t steps = 0;
  for (const PodSetRange& each : podsets) {
    TUTTI_CHECK(0 <= each.min_count && each.min_count <= each.count);
    steps += each.count - each.min_count;
  }
  std::optional<Counts> found;
  std::int64_t first = 0, end = steps + 1;  // the answer is in [first, end), or found
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    Counts counts = counts_after(podsets, middle, steps);
    if (admissible(counts)) {
      found = std::move(counts);
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return found;
}

}  // namespace tutti::quota
