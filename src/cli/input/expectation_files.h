// The files of --expect: read before anything runs, and judged in the end.
#pragma once

#include <istream>

#include "cli/input/exit_code.h"
#include "expect/check.h"
#include "expect/expectation.h"
#include "terminal/streams.h"

namespace tutti::cli {

// Reads the expectations of all files, in their order; the mistakes are in that order, too.
Result<expect::Expectations> load_expectations(const std::vector<std::string>& paths,
                                               std::istream& in);

// A line for every difference, and one for every file.
ExitCode report_expectations(const std::vector<expect::Failure>& failures,
                             const expect::Expectations& expectations,
                             const std::vector<std::string>& files, terminal::Streams& streams);

}  // namespace tutti::cli
