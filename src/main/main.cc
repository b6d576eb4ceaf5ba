// The composition root: gives the command line the process's streams.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
  tutti::cli::Streams streams{std::cin, std::cout, std::cerr, colour};
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  tutti::cli::ExitCode code = tutti::cli::execute(arguments, streams);
  if (!std::cout.flush() && code == tutti::cli::ExitCode::done) {
    std::cerr << "tutti: writing to standard output failed\n";
    code = tutti::cli::ExitCode::failed;
  }
  return static_cast<int>(code);
}
