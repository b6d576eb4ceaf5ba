// tutti plan: would it run, where, evicting whom, when, and how many more of it.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/file_roles.h"
#include "cli/output/plan_text.h"
#include "session/plan.h"

namespace tutti::cli {
namespace {

Status plan(PlanCommandOptions options, const terminal::ProcessEnvironment& surroundings,
            terminal::Streams& streams) {
  session::SessionOptions inputs = options.plan.session;
  inputs.manifests.paths.insert(inputs.manifests.paths.end(), options.plan.cluster.paths.begin(),
                                options.plan.cluster.paths.end());
  TUTTI_TRY(check_file_roles(inputs, {}, {}));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.plan.cluster));
  }
  TUTTI_ASSIGN(const session::Plan made, session::make_plan(options.plan, streams));
  if (options.format == session::Format::table) {
    streams.out << plan_text(made, options.pods, streams.layout);
  } else {
    write_plan(made, options.format, streams.out);
  }
  return ok_status();
}

}  // namespace

ExitCode plan_command(const PlanCommandOptions& options,
                      const terminal::ProcessEnvironment& surroundings,
                      terminal::Streams& streams) {
  const Status status = plan(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
