#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tutti {
namespace {

TEST(ProblemList, showsTwentyAndCountsTheRest) {
  std::vector<std::string> problems = {"a", "b"};
  EXPECT_EQ(problem_list(problems), "a\nb");
  problems.resize(21, "x");
  EXPECT_TRUE(problem_list(problems).ends_with("x\nx\n… and 1 more problem"));
  problems.resize(23, "x");
  EXPECT_TRUE(problem_list(problems).ends_with("x\n… and 3 more problems"));
}

TEST(Text, writesControlCharactersOut) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\td\x7f"), "a\\x1b[2Jb\\nc\\td\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");
}

TEST(Text, leavesLettersOfAnyLanguageAlone) { EXPECT_EQ(printable("größe — 大"), "größe — 大"); }

TEST(Text, keepsLinesWhereTheyAreWanted) {
  EXPECT_EQ(printable_lines("a\x1b\nb\r\n"), "a\\x1b\nb\\r\n");
}

TEST(Text, beginsWithWholeCharacters) {
  EXPECT_EQ(beginning("abc", 3), "abc");
  EXPECT_EQ(beginning("aéb", 3), "aé");
  EXPECT_EQ(beginning("aéb", 2), "a");
  EXPECT_EQ(beginning("大", 2), "");
}

TEST(Text, cutsLongTextBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc… (4 bytes)");
  EXPECT_EQ(shortened("aéé", 2), "a… (5 bytes)");
}

TEST(Text, isContentOfAPageAndNoPartOfIt) {
  EXPECT_EQ(markup_text("<b title=\"a\">Tom & Jerry's</b>"),
            "&lt;b title=&quot;a&quot;&gt;Tom &amp; Jerry&#39;s&lt;/b&gt;");
  EXPECT_EQ(markup_text("a\x1b[1mb\n"), "a\\x1b[1mb\\n") << "no terminal is moved";
}

TEST(Text, findsTheWordThatWasMeant) {
  constexpr std::array<std::string_view, 3> kKnown = {"runs-for", "down-at", "at"};
  EXPECT_EQ(nearest_word("run-for", kKnown), "runs-for");
  EXPECT_EQ(nearest_word("donw-at", kKnown), "down-at");
  EXPECT_EQ(nearest_word("something-else", kKnown), "");
}

TEST(Text, countsNumbersInNamesByTheirValue) {
  EXPECT_TRUE(comes_before("r2", "r10"));
  EXPECT_FALSE(comes_before("r10", "r2"));
  EXPECT_TRUE(comes_before("rack", "rack-1"));
  EXPECT_TRUE(comes_before("n9-gpu-2", "n9-gpu-10"));
  EXPECT_TRUE(comes_before("a10", "b2"));
  EXPECT_FALSE(comes_before("n1", "n1"));
  EXPECT_NE(comes_before("n01", "n1"), comes_before("n1", "n01")) << "an order of all names";
}

}  // namespace
}  // namespace tutti
