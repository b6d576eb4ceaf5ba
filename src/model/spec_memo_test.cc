#include "model/spec_memo.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::model {
namespace {

std::shared_ptr<const PodSpec> spec() { return std::make_shared<const PodSpec>(); }

TEST(SpecMemo, findsWhatItKept) {
  SpecMemo<int> memo;
  const auto one = spec();
  const auto other = spec();
  memo.keep(one, 1);
  ASSERT_NE(memo.find(one), nullptr);
  EXPECT_EQ(*memo.find(one), 1);
  EXPECT_EQ(memo.find(other), nullptr);
  memo.keep(one, 2);
  EXPECT_EQ(*memo.find(one), 2);
}

TEST(SpecMemo, keepsNoSpecAlive) {
  SpecMemo<int> memo;
  auto one = spec();
  const std::weak_ptr<const PodSpec> watched = one;
  memo.keep(one, 1);
  one.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(SpecMemo, takesNoSpecForAnotherThatHadItsAddress) {
  SpecMemo<int> memo;
  alignas(PodSpec) static PodSpec place;
  const auto nobody = [](const PodSpec*) {};
  std::shared_ptr<const PodSpec> first(&place, nobody);
  memo.keep(first, 1);
  first.reset();
  const std::shared_ptr<const PodSpec> second(&place, nobody);
  EXPECT_EQ(memo.find(second), nullptr);
}

TEST(SpecMemo, growsWithTheSpecsThatAreNotWithThoseThatWere) {
  SpecMemo<int> memo;
  std::vector<std::shared_ptr<const PodSpec>> alive;
  for (int i = 0; i < 10'000; ++i) {
    auto fresh = spec();
    memo.keep(fresh, i);
    if (i % 100 == 0) alive.push_back(std::move(fresh));
  }
  EXPECT_LE(memo.size(), 600U);
  for (const auto& one : alive) EXPECT_NE(memo.find(one), nullptr);
}

}  // namespace
}  // namespace tutti::model
