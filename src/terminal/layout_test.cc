#include "terminal/layout.h"

#include <gtest/gtest.h>

namespace tutti::terminal {
namespace {

TEST(Wrapped, breaksAtSpacesAndIndentsEveryLine) {
  EXPECT_EQ(wrapped("needs two pods at once", 2, 12), "  needs two\n  pods at\n  once\n");
  EXPECT_EQ(wrapped("needs two pods", 2, 0), "  needs two pods\n");
  EXPECT_EQ(wrapped("a-word-that-is-too-long and more", 2, 10),
            "  a-word-that-is-too-long\n  and more\n");
}

TEST(Elided, cutsTheMiddleAndCountsCharacters) {
  EXPECT_EQ(elided("short", 5), "short");
  EXPECT_EQ(elided("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(elided("äöüäöüäöü", 4), "äö…ü");
}

}  // namespace
}  // namespace tutti::terminal
