// The `tutti` command line.
#pragma once

#include "base/std.h"
#include "cli/input/exit_code.h"
#include "terminal/process_environment.h"
#include "terminal/streams.h"

namespace tutti::cli {

// Parses and carries out one command; `arguments` are without the program's name.
ExitCode execute(const std::vector<std::string>& arguments, terminal::Streams& streams,
                 const terminal::ProcessEnvironment& surroundings = {});

}  // namespace tutti::cli
