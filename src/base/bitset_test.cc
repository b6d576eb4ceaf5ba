#include "base/bitset.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tutti {
namespace {

std::vector<std::size_t> members(const Bitset& bits) {
  std::vector<std::size_t> found;
  bits.for_each_set([&](std::size_t index) { found.push_back(index); });
  return found;
}

TEST(Bitset, startsEmpty) {
  const Bitset bits(100);
  EXPECT_EQ(bits.size(), 100u);
  EXPECT_TRUE(bits.none());
  EXPECT_EQ(bits.count(), 0u);
  EXPECT_EQ(bits.find_first(), 100u);
}

TEST(Bitset, ofNoWidthHasNothingToFill) {
  Bitset bits;
  bits.fill();
  EXPECT_TRUE(bits.none());
  EXPECT_EQ(bits.find_first(), 0u);
}

TEST(Bitset, setsAndResetsAcrossWordEdges) {
  Bitset bits(130);
  for (const std::size_t index : {0u, 63u, 64u, 127u, 128u, 129u}) bits.set(index);
  bits.reset(64);
  EXPECT_EQ(members(bits), (std::vector<std::size_t>{0, 63, 127, 128, 129}));
  EXPECT_TRUE(bits.test(63));
  EXPECT_FALSE(bits.test(64));
  EXPECT_TRUE(bits.any());
}

TEST(Bitset, keepsTheTailZeroWhenFilled) {
  Bitset bits(70);
  bits.fill();
  EXPECT_EQ(bits.count(), 70u);
  EXPECT_EQ(bits.word(1), 0x3fu);
  bits.clear();
  EXPECT_TRUE(bits.none());
}

TEST(Bitset, dropsWhatAWordHoldsBeyondTheSize) {
  Bitset bits(70);
  bits.set_word(0, 0xf0);
  bits.set_word(1, ~Bitset::Word{0});
  EXPECT_EQ(bits.count(), 10u);
  EXPECT_EQ(bits.find_first(), 4u);
  EXPECT_EQ(bits.words().size(), 2u);
}

TEST(Bitset, forgetsWhatItShrankBelow) {
  Bitset bits(128);
  bits.fill();
  bits.resize(65);
  bits.resize(128);
  EXPECT_EQ(bits.count(), 65u);
  EXPECT_FALSE(bits.test(65));
}

TEST(BitsetDeathTest, refusesToCombineDifferentWidths) {
  Bitset bits(64);
  EXPECT_DEATH(bits.and_with(Bitset(65)), "internal error");
}

Bitset from(const std::vector<bool>& model) {
  Bitset bits(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model[i]) bits.set(i);
  }
  return bits;
}

template <typename Op>
std::vector<bool> combined(const std::vector<bool>& a, const std::vector<bool>& b, Op op) {
  std::vector<bool> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = op(a[i], b[i]);
  return result;
}

RC_GTEST_PROP(BitsetProperty, combinesLikeAVectorOfBool, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 200);
  const auto flags = rc::gen::container<std::vector<bool>>(size, rc::gen::arbitrary<bool>());
  const std::vector<bool> a = *flags;
  const std::vector<bool> b = *flags;
  Bitset both = from(a), either = from(a), only = from(a);
  both.and_with(from(b));
  either.or_with(from(b));
  only.and_not(from(b));
  RC_ASSERT(both == from(combined(a, b, [](bool x, bool y) { return x && y; })));
  RC_ASSERT(either == from(combined(a, b, [](bool x, bool y) { return x || y; })));
  RC_ASSERT(only == from(combined(a, b, [](bool x, bool y) { return x && !y; })));
}

RC_GTEST_PROP(BitsetProperty, listsItsMembersInOrder, (const std::vector<bool>& model)) {
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (model[i]) expected.push_back(i);
  }
  const Bitset bits = from(model);
  RC_ASSERT(members(bits) == expected);
  RC_ASSERT(bits.count() == expected.size());
  RC_ASSERT(bits.any() == !expected.empty());
  RC_ASSERT(bits.find_first() == (expected.empty() ? model.size() : expected.front()));
}

}  // namespace
}  // namespace tutti
