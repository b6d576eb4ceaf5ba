// Statistics over jobs and over seeds.
#pragma once

#include "base/std.h"

namespace tutti::replay {

// The value at index ceil(q x n) of the sorted list, from 1: one that occurred. 0 of nothing.
double percentile(std::vector<double> values, double q);
double mean(std::span<const double> values);

// P(T <= t) for Student's t with `freedom` degrees.
double student_t(double t, double freedom);
// The t that a draw stays below with probability `p`.
double student_t_quantile(double p, double freedom);

// A sample, and the 95 % interval of its mean: mean +- half.
struct Interval {
  std::size_t n = 0;
  double mean = 0;
  double deviation = 0;        // of the sample, n - 1
  std::optional<double> half;  // absent with a single value
};
Interval interval_of(std::span<const double> values);

// Two policies on the same seeds: `a` minus `b`, value by value.
struct Pairing {
  Interval difference;
  std::size_t a_higher = 0;
  std::size_t b_higher = 0;
  double p = 1;       // two-sided, of no difference
  double p_holm = 1;  // corrected for all pairs compared
  // Whether the corrected test finds a difference at 5 %.
  bool shown() const { return p_holm < 0.05; }
};
// Requires as many of `a` as of `b`.
Pairing pair_up(std::span<const double> a, std::span<const double> b);
// Fills in p_holm.
void correct_by_holm(std::vector<Pairing>& pairings);

}  // namespace tutti::replay
