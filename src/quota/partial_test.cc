#include "quota/partial.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace tutti::quota {
namespace {

std::int64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

TEST(PartialAdmission, bisectsBetweenMinimumAndCount) {
  const PodSetRange job[] = {{16, 6}};
  Counts probes;
  const auto found = largest_admissible(job, [&](const Counts& counts) {
    probes.push_back(counts[0]);
    return counts[0] <= 11;
  });
  EXPECT_EQ(found, Counts{11});
  EXPECT_EQ(probes, (Counts{11, 14, 12}));
}

TEST(PartialAdmission, shrinksPodSetsTogether) {
  const PodSetRange two[] = {{10, 4}, {5, 2}};
  EXPECT_EQ(largest_admissible(two, [](const Counts& counts) { return total(counts) <= 12; }),
            (Counts{8, 4}));
}

TEST(PartialAdmission, hasNoAnswerBelowTheMinimum) {
  const PodSetRange job[] = {{16, 6}};
  EXPECT_FALSE(largest_admissible(job, [](const Counts& c) { return c[0] <= 5; }).has_value());
  const PodSetRange rigid[] = {{3, 3}};
  EXPECT_EQ(largest_admissible(rigid, [](const Counts&) { return true; }), Counts{3});
}

RC_GTEST_PROP(PartialAdmissionProperty, findsTheFirstStepThatFits, ()) {
  std::vector<PodSetRange> podsets;
  const int size = *rc::gen::inRange(1, 4);
  std::int64_t steps = 0;
  for (int i = 0; i < size; ++i) {
    const auto least = *rc::gen::inRange<std::int64_t>(0, 8);
    podsets.push_back({least + *rc::gen::inRange<std::int64_t>(0, 8), least});
    steps += podsets.back().count - least;
  }
  const auto room = *rc::gen::inRange<std::int64_t>(0, 40);
  const auto found =
      largest_admissible(podsets, [&](const Counts& counts) { return total(counts) <= room; });
  std::optional<Counts> expected;
  for (std::int64_t i = 0; i <= steps && !expected; ++i) {
    Counts counts;
    for (const PodSetRange& each : podsets) {
      const auto less = steps == 0 ? 0 : (each.count - each.min_count) * i / steps;
      counts.push_back(each.count - less);
    }
    if (total(counts) <= room) expected = counts;
  }
  RC_ASSERT((found == expected));
}

}  // namespace
}  // namespace tutti::quota
