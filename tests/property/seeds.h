// Runs a check for many seeds; TUTTI_SEED=n runs that one alone, TUTTI_SEEDS=m that many, both
// together m from n on. TUTTI_SEEDS_SHARE=k runs one in k of what the test asks for.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace tutti::test {

// `check` returns what is wrong with a seed, or "".
template <typename Check>
void for_seeds(std::string_view program, std::uint64_t count, const Check& check) {
  std::uint64_t first = 1;
  if (const char* share = std::getenv("TUTTI_SEEDS_SHARE")) {
    count = std::max<std::uint64_t>(1, count / std::strtoull(share, nullptr, 10));
  }
  if (const char* seed = std::getenv("TUTTI_SEED")) {
    first = std::strtoull(seed, nullptr, 10);
    count = 1;
  }
  if (const char* many = std::getenv("TUTTI_SEEDS")) count = std::strtoull(many, nullptr, 10);
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string problem = check(seed);
    if (problem.empty()) continue;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    ADD_FAILURE() << "TUTTI_SEED=" << seed << " " << program
                  << " --gtest_filter=" << info->test_suite_name() << "." << info->name() << ": "
                  << problem;
    if (++failures == 5) return;
  }
}

}  // namespace tutti::test
