#include "cli/arguments.h"

#include <CLI/CLI.hpp>

#include "base/time.h"

namespace tutti::cli {

std::string duration_problem(const std::string& text) {
  const Result<Millis> parsed = parse_duration(text);
  if (!parsed.ok()) return parsed.error().message;
  return *parsed < Millis{0} ? "must not be negative" : "";
}

void add_format_option(CLI::App& command, session::Format& format) {
  const auto choose = [&format](const std::string& word) {
    format = word == "json"   ? session::Format::json
             : word == "yaml" ? session::Format::yaml
                              : session::Format::table;
  };
  command.add_option_function<std::string>("-o,--output", choose, "How to print the result")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->type_name("FORMAT");
}

}  // namespace tutti::cli
