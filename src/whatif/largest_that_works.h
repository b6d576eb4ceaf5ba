// Finding the largest of a range that works, where whatever works lets all smaller ones work, too.
#pragma once

namespace tutti::whatif {

// Nothing in first…last works: less than first. The smallest is asked first: it settles most
// questions to which the answer is no.
template <typename Number, typename Works>
Number largest_that_works(Number first, Number last, const Works& works) {
  if (first > last || !works(first)) return first - 1;
  while (first < last) {
    const Number middle = first + (last - first + 1) / 2;
    if (works(middle)) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

// Finds the largest where `bound` is likely the answer: it is asked first.
template <typename Number, typename Works>
Number largest_up_to(Number first, Number bound, const Works& works) {
  if (first > bound) return first - 1;
  return works(bound) ? bound : largest_that_works(first, bound - 1, works);
}

}  // namespace tutti::whatif
