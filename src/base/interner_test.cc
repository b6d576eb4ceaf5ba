#include "base/interner.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tutti {
namespace {

TEST(Interner, numbersStringsInOrderOfFirstSight) {
  Interner interner;
  EXPECT_EQ(interner.intern("zone-b"), 0u);
  EXPECT_EQ(interner.intern("zone-a"), 1u);
  EXPECT_EQ(interner.intern("zone-b"), 0u);
  EXPECT_EQ(interner.intern(""), 2u);
  EXPECT_EQ(interner.size(), 3u);
}

TEST(Interner, findsWithoutMaking) {
  Interner interner;
  interner.intern("a");
  EXPECT_EQ(interner.find("a"), 0u);
  EXPECT_EQ(interner.find("b"), std::nullopt);
  EXPECT_EQ(interner.size(), 1u);
}

TEST(Interner, keepsItsViewsWhileItGrows) {
  Interner interner;
  const std::string_view first = interner.text(interner.intern("first"));
  const char* const address = first.data();
  for (int i = 0; i < 10'000; ++i) interner.intern("name-" + std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(interner.text(0).data(), address);
}

TEST(Interner, doesNotDependOnTheTextItWasGiven) {
  Interner interner;
  std::string text = "short";
  interner.intern(text);
  text = "other";
  EXPECT_EQ(interner.text(0), "short");
  EXPECT_EQ(interner.find("short"), 0u);
}

TEST(Interner, survivesBeingMoved) {
  Interner from;
  from.intern("a");
  const Interner to = std::move(from);
  EXPECT_EQ(to.find("a"), 0u);
  EXPECT_EQ(to.text(0), "a");
}

TEST(InternerDeathTest, stopsOnAnIdItNeverGave) {
  const Interner interner;
  EXPECT_DEATH(interner.text(0), "internal error");
}

RC_GTEST_PROP(InternerProperty, givesOneIdPerString, (const std::vector<std::string>& texts)) {
  Interner interner;
  std::vector<std::uint32_t> ids;
  for (const auto& text : texts) ids.push_back(interner.intern(text));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RC_ASSERT(interner.text(ids[i]) == texts[i]);
    for (std::size_t j = 0; j < i; ++j) RC_ASSERT((ids[i] == ids[j]) == (texts[i] == texts[j]));
  }
}

}  // namespace
}  // namespace tutti
