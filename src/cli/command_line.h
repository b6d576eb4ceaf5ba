// The `tutti` command line.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/streams.h"
#include "cli/surroundings.h"

namespace tutti::cli {

// Parses and carries out one command; `arguments` are without the program's name.
ExitCode execute(const std::vector<std::string>& arguments, Streams& streams,
                 const Surroundings& surroundings = {});

}  // namespace tutti::cli
