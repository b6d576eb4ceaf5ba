#include "cli/output/completion.h"

#include <gtest/gtest.h>

namespace tutti::cli {
namespace {

const std::vector<CommandWords> kCommands = {
    {{"run", "Schedule what's there"}, {{"--until", "Stop then"}, {"--seed", "A number"}}},
    {{"plan", "Ask"}, {{"--count", "How many"}}}};

bool says(const std::string& script, std::string_view part) {
  return script.find(part) != std::string::npos;
}

TEST(Completion, givesBashTheCommandsAndTheOptionsOfEach) {
  const std::string script = completion_script("bash", kCommands);
  EXPECT_TRUE(says(script, "compgen -W 'run plan --help --version'")) << script;
  EXPECT_TRUE(says(script, "    run) words='--until --seed' ;;")) << script;
  EXPECT_TRUE(says(script, "complete -o filenames -F _tutti tutti")) << script;
}

TEST(Completion, givesFishADescriptionOfEveryWord) {
  const std::string script = completion_script("fish", kCommands);
  EXPECT_TRUE(says(script, "-a run -d 'Schedule what'\\''s there'")) << script;
  EXPECT_TRUE(says(script, "'__fish_seen_subcommand_from plan' -l count -d 'How many'")) << script;
}

TEST(Completion, givesZshTheScriptOfBash) {
  const std::string script = completion_script("zsh", kCommands);
  EXPECT_TRUE(says(script, "bashcompinit")) << script;
  EXPECT_TRUE(says(script, completion_script("bash", kCommands))) << script;
}

}  // namespace
}  // namespace tutti::cli
