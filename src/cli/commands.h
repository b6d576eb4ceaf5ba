// The commands, behind the parsed command line.
#pragma once

#include "cli/input/exit_code.h"
#include "cli/input/options.h"
#include "cli/simulate/options.h"
#include "terminal/process_environment.h"
#include "terminal/streams.h"

namespace tutti::cli {

ExitCode run_command(const RunOptions& options, terminal::Streams& streams);
ExitCode explain_command(const ExplainOptions& options,
                         const terminal::ProcessEnvironment& surroundings,
                         terminal::Streams& streams);
ExitCode capacity_command(const CapacityOptions& options,
                          const terminal::ProcessEnvironment& surroundings,
                          terminal::Streams& streams);
ExitCode plan_command(const PlanCommandOptions& options,
                      const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams);
ExitCode snapshot_command(const SnapshotOptions& options,
                          const terminal::ProcessEnvironment& surroundings,
                          terminal::Streams& streams);
ExitCode simulate_command(const SimulateOptions& options, terminal::Streams& streams);
ExitCode scheduler_command(const SchedulerCommandOptions& options,
                           const terminal::ProcessEnvironment& surroundings,
                           terminal::Streams& streams);
ExitCode controllers_command(const ControllersOptions& options,
                             const terminal::ProcessEnvironment& surroundings,
                             terminal::Streams& streams);

}  // namespace tutti::cli
