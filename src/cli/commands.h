// The commands, behind the parsed command line.
#pragma once

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "cli/surroundings.h"

namespace tutti::cli {

ExitCode run_command(const RunOptions& options, Streams& streams);
ExitCode explain_command(const ExplainOptions& options, const Surroundings& surroundings,
                         Streams& streams);
ExitCode capacity_command(const CapacityOptions& options, const Surroundings& surroundings,
                          Streams& streams);
ExitCode plan_command(const PlanOptions& options, const Surroundings& surroundings,
                      Streams& streams);
ExitCode snapshot_command(const SnapshotOptions& options, const Surroundings& surroundings,
                          Streams& streams);
ExitCode scheduler_command(const SchedulerCommandOptions& options, const Surroundings& surroundings,
                           Streams& streams);
ExitCode controllers_command(const ControllersOptions& options, const Surroundings& surroundings,
                             Streams& streams);

}  // namespace tutti::cli
