// Partial admission: the largest size of a request, between its minimum and what it asks for, that
// somebody finds admissible.
#pragma once

#include <functional>

#include "base/std.h"

namespace tutti::quota {

struct PodSetRange {
  std::int64_t count = 0;
  std::int64_t min_count = 0;  // at most count; equal where the podset may not shrink
};

using Counts = std::vector<std::int64_t>;  // by podset

// All podsets shrink together, each by its part of the way to its minimum. Found by bisection, as
// if whatever is smaller than something admissible were so, too; the answer was found admissible in
// any case.
std::optional<Counts> largest_admissible(std::span<const PodSetRange> podsets,
                                         const std::function<bool(const Counts&)>& admissible);

}  // namespace tutti::quota
