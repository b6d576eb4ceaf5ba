// tutti controllers: the upkeep of workloads in a real cluster.
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/cluster_access.h"
#include "cli/input/version.h"
#include "cli/process.h"
#include "upkeep/upkeep.h"

namespace tutti::cli {
namespace {

constexpr const char* kControllersLease = "tutti-controllers";

Status keep_up(const ControllersOptions& options, const terminal::ProcessEnvironment& surroundings,
               terminal::Streams& streams) {
  upkeep::UpkeepOptions made;
  TUTTI_ASSIGN(made.access, find_access(options.cluster, {}, surroundings));
  if (options.leader_elect) {
    kube::ElectionConfig election;
    election.ns = options.lease_namespace;
    election.name = kControllersLease;
    election.identity = identity(surroundings);
    TUTTI_TRY(kube::check(election));
    made.election = std::move(election);
  }
  made.parts = options.parts;
  made.bind_address = options.bind_address;
  made.port = options.port;
  made.instance = "tutti-controllers-" + surroundings.host;
  made.version = version();
  made.seed = surroundings.entropy;
  const auto log = make_log(options.json_log, options.verbose, streams);
  return upkeep::run_upkeep(std::move(made), *log);
}

}  // namespace

ExitCode controllers_command(const ControllersOptions& options,
                             const terminal::ProcessEnvironment& surroundings,
                             terminal::Streams& streams) {
  const Status outcome = keep_up(options, surroundings, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti controllers: " << brief_line(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
