#include "replay/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace tutti::replay {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr int kStepsMax = 500;
  constexpr double kTiny = 1e-300;
  constexpr double kPrecise = 1e-15;
  const auto kept = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / kept(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kStepsMax; ++m) {
    const auto advance = [&](double coefficient) {
      d = 1 / kept(1 + coefficient * d);
      c = kept(1 + coefficient / c);
      fraction *= d * c;
    };
    advance(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    advance(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(d * c - 1) < kPrecise) break;
  }
  return fraction;
}

// The regularised incomplete beta function.
double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double percentile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * n)));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double student_t(double t, double freedom) {
  const double tail = beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double freedom) {
  constexpr int kHalvings = 200;
  double low = -1e6;
  double high = 1e6;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (student_t(middle, freedom) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval interval_of(std::span<const double> values) {
  Interval interval{values.size(), mean(values), 0, std::nullopt};
  if (values.size() < 2) return interval;
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) {
    squares += (value - interval.mean) * (value - interval.mean);
  }
  constexpr double kUpper = 0.975;
  interval.deviation = std::sqrt(squares / (n - 1));
  interval.half = student_t_quantile(kUpper, n - 1) * interval.deviation / std::sqrt(n);
  return interval;
}

Pairing pair_up(std::span<const double> a, std::span<const double> b) {
  TUTTI_CHECK(a.size() == b.size(), "pairs of the same seeds");
  std::vector<double> differences;
  Pairing pairing;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i] - b[i]);
    pairing.a_higher += a[i] > b[i] ? 1 : 0;
    pairing.b_higher += b[i] > a[i] ? 1 : 0;
  }
  pairing.difference = interval_of(differences);
  if (differences.size() < 2) return pairing;
  const auto n = static_cast<double>(differences.size());
  const double error = pairing.difference.deviation / std::sqrt(n);
  if (error > 0) {
    pairing.p = 2 * student_t(-std::abs(pairing.difference.mean) / error, n - 1);
  } else {
    pairing.p = pairing.difference.mean == 0 ? 1 : 0;
  }
  pairing.p_holm = pairing.p;
  return pairing;
}

void correct_by_holm(std::vector<Pairing>& pairings) {
  std::vector<Pairing*> by_p;
  for (Pairing& pairing : pairings) by_p.push_back(&pairing);
  std::ranges::stable_sort(by_p, {}, &Pairing::p);
  double least = 0;
  for (std::size_t i = 0; i < by_p.size(); ++i) {
    least = std::max(least, by_p[i]->p * static_cast<double>(by_p.size() - i));
    by_p[i]->p_holm = std::min(1.0, least);
  }
}

}  // namespace tutti::replay
