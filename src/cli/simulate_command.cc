// tutti simulate: a trace under several policies, or a published experiment.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/simulate/simulate.h"

namespace tutti::cli {

ExitCode simulate_command(const SimulateOptions& options, terminal::Streams& streams) {
  const Status outcome =
      options.study.empty() ? simulate(options, streams) : fgd_study(options, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti simulate: " << printable(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
