#include "replay/workers.h"

#include <gtest/gtest.h>

namespace tutti::replay {
namespace {

TEST(Workers, runEveryNumberOnce) {
  for (const std::size_t workers : {std::size_t{0}, std::size_t{1}, std::size_t{8}}) {
    std::vector<int> calls(100);
    run_all(calls.size(), workers, [&](std::size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(100, 1)) << workers;
  }
  run_all(0, 4, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace tutti::replay
