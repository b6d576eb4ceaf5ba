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

TEST(Layout, foldsProseBelowWhereItsTextBegan) {
  struct Case {
    std::string line, expected;
  };
  const Case cases[] = {
      {"state    Waiting\n", "state    Waiting\n"},
      {"summary  needs 8 cpu on one node; 4 are free\n",
       "summary  needs 8 cpu on\n         one node; 4 are\n         free\n"},
      {"  - ask for 4 cpu per pod instead of 8\n", "  - ask for 4 cpu per\n    pod instead of 8\n"},
      {"      kubectl delete pod a-rather-long-name -n ml\n",
       "      kubectl delete pod a-rather-long-name -n ml\n"},
      {"plain words that are more than fit\n", "plain words that are\nmore than fit\n"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.line);
    EXPECT_EQ(folded(each.line, 24), each.expected);
    EXPECT_EQ(folded(each.line, 0), each.line);
  }
}

}  // namespace
}  // namespace tutti::terminal
