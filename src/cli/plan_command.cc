// tutti plan: would it run, where, evicting whom, when, and how many more of it.
#include "base/text.h"
#include "cli/cluster_reading.h"
#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/plan.h"

namespace tutti::cli {
namespace {

Status plan(PlanOptions options, const Surroundings& surroundings, Streams& streams) {
  SessionOptions inputs = options.session;
  inputs.manifests.paths.insert(inputs.manifests.paths.end(), options.cluster.paths.begin(),
                                options.cluster.paths.end());
  TUTTI_TRY(check_file_roles(inputs, {}, {}));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.cluster));
  }
  TUTTI_ASSIGN(const Plan made, make_plan(options, streams));
  if (options.format == Format::table) {
    streams.out << plan_text(made, streams.layout);
  } else {
    write_plan(made, options.format, streams.out);
  }
  return ok_status();
}

}  // namespace

ExitCode plan_command(const PlanOptions& options, const Surroundings& surroundings,
                      Streams& streams) {
  const Status status = plan(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
