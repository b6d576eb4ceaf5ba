#include "cli/help_text.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

TEST(HelpText, foldsDescriptionsBelowWhereTheyBegan) {
  EXPECT_EQ(
      help_text("  --until DURATION            Stop at this virtual time, or when all is done\n",
                60),
      "  --until DURATION            Stop at this virtual time, or\n"
      "                              when all is done\n");
  EXPECT_EQ(help_text("  --a-name-that-is-long WITH A TYPE\n"
                      "                              A configuration that comes with Tutti\n",
                      60),
            "  --a-name-that-is-long WITH A TYPE\n"
            "                              A configuration that comes\n"
            "                              with Tutti\n");
}

TEST(HelpText, keepsCommandsWholeAndWhatTheyShowBelow) {
  EXPECT_EQ(
      help_text("  tutti run -f cluster.yaml jobs/ --compare pack-gpus   who would run then\n", 60),
      "  tutti run -f cluster.yaml jobs/ --compare pack-gpus\n"
      "      who would run then\n");
}

TEST(HelpText, foldsProseAndLeavesOutSecondBlankLines) {
  EXPECT_EQ(help_text("Usage: x\n\n\nA folder stands for its files.\n", 20),
            "Usage: x\n\nA folder stands for\nits files.\n");
}

}  // namespace
}  // namespace tutti::cli
