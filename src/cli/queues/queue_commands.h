// The commands about queues, behind the parsed command line.
#pragma once

#include "cli/input/exit_code.h"
#include "cli/input/options.h"
#include "terminal/process_environment.h"
#include "terminal/streams.h"

namespace tutti::cli {

ExitCode queues_command(const QueuesOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams);
ExitCode policy_command(const PolicyOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams);
ExitCode why_command(const WhyOptions& options, const terminal::ProcessEnvironment& surroundings,
                     terminal::Streams& streams);

}  // namespace tutti::cli
