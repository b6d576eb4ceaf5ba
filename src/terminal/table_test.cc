#include "terminal/table.h"

#include <gtest/gtest.h>

namespace tutti::terminal {
namespace {

TEST(Table, alignsColumnsAndEndsLinesWithoutBlanks) {
  Table table({"NAME", "PODS", "WHY"});
  table.add({{"a"}, {"1", Tint::none, true}, {"so"}});
  table.add({{"longer"}, {"10", Tint::none, true}, {""}});

  EXPECT_EQ(table.text({}),
            "NAME    PODS  WHY\n"
            "a          1  so\n"
            "longer    10\n");
}

TEST(Table, countsCharactersNotBytes) {
  Table table({"A", "B"});
  table.add({{"4 × 2"}, {"x"}});
  table.add({{"12345"}, {"y"}});

  EXPECT_EQ(table.text({}), "A      B\n4 × 2  x\n12345  y\n");
}

TEST(Table, writesControlCharactersOut) {
  Table table({"A", "B"});
  table.add({{"x\x1b\ny"}, {"z"}});

  EXPECT_EQ(table.text({}), "A         B\nx\\x1b\\ny  z\n");
}

TEST(Table, coloursOnlyWhenAsked) {
  Table table({"A"});
  table.add({{"Running", Tint::good}});

  EXPECT_EQ(table.text({}).find('\x1b'), std::string::npos);
  EXPECT_NE(table.text({.colour = true}).find("\x1b[32mRunning\x1b[0m"), std::string::npos);
}

TEST(Table, leavesOutColumnsWithoutText) {
  Table table({"A", "B", "C"});
  table.add({{"x"}, {""}, {"z"}});

  EXPECT_EQ(table.text({}), "A  C\nx  z\n");
}

TEST(Table, hasBriefHeadingsWhereThereIsLittleSpace) {
  Table table({"NAME", "BY INCOMPLETE GROUPS"});
  table.set_brief_heading(1, "INCOMPLETE");
  table.add({{"a"}, {"1"}});

  EXPECT_EQ(table.text({.columns = 80}), "NAME  BY INCOMPLETE GROUPS\na     1\n");
  EXPECT_EQ(table.text({.columns = 20}), "NAME  INCOMPLETE\na     1\n");
}

TEST(Table, putsNotesBelowTheirRowsAndWrapsThem) {
  Table table({"NAME", "STATE"});
  table.add({{"a"}, {"Waiting"}}, "needs one more node of eight");
  table.add({{"b"}, {"Running"}});

  EXPECT_EQ(table.text({.columns = 20}),
            "NAME  STATE\n"
            "a     Waiting\n"
            "    needs one more\n"
            "    node of eight\n"
            "b     Running\n");
}

TEST(Table, shortensTheWidestColumnsToFit) {
  Table table({"NAME", "STATE"});
  table.add({{"a-very-long-name-of-a-workload"}, {"Running"}});

  EXPECT_EQ(table.text({.columns = 20}), "NAME         STATE\na-ver…kload  Running\n");
}

TEST(Table, becomesBriefAndLetsOptionalColumnsGoBeforeItShortensText) {
  Table table({"NAME", "MIN", "DOMAIN"});
  table.add(
      {{"train"}, {"4", Tint::none, true}, {"example.com/rack=r1", Tint::none, false, "rack=r1"}});
  table.make_optional(1);

  EXPECT_EQ(table.text({.columns = 21}), "NAME   MIN  DOMAIN\ntrain    4  rack=r1\n");
  EXPECT_EQ(table.text({.columns = 16}), "NAME   DOMAIN\ntrain  rack=r1\n");
}

}  // namespace
}  // namespace tutti::terminal
