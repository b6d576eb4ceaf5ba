// The command that looks for faults in a configuration, behind the parsed command line.
#pragma once

#include "cli/input/exit_code.h"
#include "cli/input/options.h"
#include "terminal/process_environment.h"
#include "terminal/streams.h"

namespace tutti::cli {

ExitCode doctor_command(const DoctorOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams);

}  // namespace tutti::cli
