#include "base/shared_list.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti {
namespace {

using Words = SharedList<std::string>;

TEST(SharedList, readsLikeAVector) {
  const Words words = {"a", "b"};

  EXPECT_EQ(words.size(), 2U);
  EXPECT_FALSE(words.empty());
  EXPECT_EQ(words[1], "b");
  EXPECT_EQ(words.front(), "a");
  EXPECT_EQ(words.back(), "b");
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), words.list());
}

TEST(SharedList, isEmptyWithoutMemoryOfItsOwn) {
  EXPECT_TRUE(Words().empty());
  EXPECT_EQ(Words().begin(), Words().end());
  EXPECT_TRUE(Words(std::vector<std::string>{}).shares_with(Words()));
}

TEST(SharedList, sharesItsMemoryWithCopiesUntilOneIsChanged) {
  const Words original = {"a"};
  Words copy = original;
  EXPECT_TRUE(copy.shares_with(original));

  copy.edit().emplace_back("b");

  EXPECT_FALSE(copy.shares_with(original));
  EXPECT_EQ(original, Words({"a"}));
  EXPECT_EQ(copy, Words({"a", "b"}));
}

TEST(SharedList, changesInPlaceWhatNobodyElseHolds) {
  Words words = {"a"};
  const auto* const before = &words.list();

  words.push_back("b");

  EXPECT_EQ(&words.list(), before);
  EXPECT_EQ(words, Words({"a", "b"}));
}

TEST(SharedList, clearsOnlyItself) {
  const Words original = {"a"};
  Words copy = original;

  copy.clear();

  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(original.size(), 1U);
}

TEST(SharedList, comparesWhatItHolds) {
  Words emptied = {"a"};
  emptied.edit().clear();

  EXPECT_EQ(emptied, Words());
  EXPECT_EQ(Words({"a"}), Words({"a"}));
  EXPECT_NE(Words({"a"}), Words({"b"}));
}

}  // namespace
}  // namespace tutti
