#include "cli/output/completion.h"

#include <fmt/format.h>

#include <iterator>

namespace tutti::cli {
namespace {

// In single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string names_of(const std::vector<CommandWords::Word>& words) {
  std::vector<std::string_view> names;
  for (const CommandWords::Word& word : words) names.push_back(word.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// Words that begin with a dash are options of the command, others files.
std::string bash_script(const std::vector<CommandWords>& commands) {
  std::vector<std::string_view> names;
  std::string cases;
  for (const CommandWords& each : commands) {
    names.push_back(each.command.name);
    cases += fmt::format("    {}) words='{}' ;;\n", each.command.name, names_of(each.options));
  }
  return fmt::format(
      "_tutti() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "  case $current in\n"
      "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _tutti tutti\n",
      fmt::join(names, " "), cases);
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string script;
  auto out = std::back_inserter(script);
  for (const CommandWords& each : commands) {
    fmt::format_to(out, "complete -c tutti -n __fish_use_subcommand -a {} -d {}\n",
                   each.command.name, quoted(each.command.about));
    for (const CommandWords::Word& option : each.options) {
      fmt::format_to(out, "complete -c tutti -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                     each.command.name, option.name.substr(2), quoted(option.about));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CommandWords>& commands) {
  if (shell == "fish") return fish_script(commands);
  if (shell == "bash") return bash_script(commands);
  return "#compdef tutti\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands);
}

}  // namespace tutti::cli
