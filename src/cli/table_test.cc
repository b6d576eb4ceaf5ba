#include "cli/table.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

TEST(Table, alignsColumnsAndEndsLinesWithoutBlanks) {
  Table table({"NAME", "PODS", "WHY"});
  table.add({{"a"}, {"1", Tint::none, true}, {"so"}});
  table.add({{"longer"}, {"10", Tint::none, true}, {""}});

  EXPECT_EQ(table.text(false),
            "NAME    PODS  WHY\n"
            "a          1  so\n"
            "longer    10\n");
}

TEST(Table, countsCharactersNotBytes) {
  Table table({"A", "B"});
  table.add({{"4 × 2"}, {"x"}});
  table.add({{"12345"}, {"y"}});

  EXPECT_EQ(table.text(false), "A      B\n4 × 2  x\n12345  y\n");
}

TEST(Table, writesControlCharactersOut) {
  Table table({"A", "B"});
  table.add({{"x\x1b\ny"}, {"z"}});

  EXPECT_EQ(table.text(false), "A         B\nx\\x1b\\ny  z\n");
}

TEST(Table, coloursOnlyWhenAsked) {
  Table table({"A"});
  table.add({{"Running", Tint::good}});

  EXPECT_EQ(table.text(false).find('\x1b'), std::string::npos);
  EXPECT_NE(table.text(true).find("\x1b[32mRunning\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace tutti::cli
