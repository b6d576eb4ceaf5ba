// Completion: scripts with which shells complete the words of a tutti command.
#pragma once

#include "base/std.h"

namespace tutti::cli {

struct CommandWords {
  struct Word {
    std::string name;   // "--until"
    std::string about;  // one sentence
  };
  Word command;
  std::vector<Word> options;
};

// For bash, zsh or fish; requires one of these.
std::string completion_script(std::string_view shell, const std::vector<CommandWords>& commands);

}  // namespace tutti::cli
