// tutti scheduler: the daemon of a real cluster.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/cluster_access.h"
#include "cli/input/exit_code.h"
#include "cli/input/version.h"
#include "cli/process.h"
#include "daemon/daemon.h"
#include "session/profiles.h"
#include "session/session.h"

namespace tutti::cli {
namespace {

kube::ElectionConfig election(const config::LeaderElection& configured,
                              const terminal::ProcessEnvironment& surroundings) {
  return {.ns = configured.ns,
          .name = configured.name,
          .identity = identity(surroundings),
          .lease_duration = configured.lease_duration,
          .renew_deadline = configured.renew_deadline,
          .retry_period = configured.retry_period};
}

Status rename(core::SchedulerConfig& config, const std::string& name) {
  if (name.empty()) return ok_status();
  if (config.profiles.size() != 1) {
    return misuse(
        fmt::format("--scheduler-name: the configuration has {} profiles with names of "
                    "their own",
                    config.profiles.size()));
  }
  config.profiles.front().scheduler_name = name;
  return ok_status();
}

daemon::GroupInMemory group_in_memory(const std::string& word) {
  if (word == "always") return daemon::GroupInMemory::always;
  return word == "never" ? daemon::GroupInMemory::never : daemon::GroupInMemory::automatic;
}

Result<daemon::DaemonOptions> daemon_options(const SchedulerCommandOptions& options,
                                             const terminal::ProcessEnvironment& surroundings,
                                             terminal::Streams& streams) {
  TUTTI_ASSIGN(config::DaemonConfig configured, session::load_config(options.config, streams.in));
  TUTTI_TRY(rename(configured.scheduler, options.scheduler_name));
  daemon::DaemonOptions made;
  TUTTI_ASSIGN(made.profiles,
               session::build_profiles(configured.scheduler, options.config, options.plugin_dir));
  TUTTI_ASSIGN(made.access,
               find_access(options.cluster, configured.client.kubeconfig, surroundings));
  if (options.leader_elect.value_or(configured.leader_election.enabled)) {
    made.election = election(configured.leader_election, surroundings);
    TUTTI_TRY(kube::check(*made.election));
  }
  made.pace = {configured.client.qps, configured.client.burst};
  if (configured.kueue) {
    if (!configured.kueue->unheeded.empty()) {
      session::show_notes({fmt::format("Kueue's Configuration: not heeded here: {}",
                                       fmt::join(configured.kueue->unheeded, ", "))},
                          streams);
    }
    made.quota = std::move(configured.kueue->quota);
  }
  made.config = std::move(configured.scheduler);
  made.bind_address = options.bind_address;
  made.port = options.port;
  made.explain_to_all = options.explain_to_all;
  made.group_in_memory = group_in_memory(options.group_in_memory);
  made.instance = "tutti-" + surroundings.host;
  made.version = version();
  made.seed = surroundings.entropy;
  return made;
}

Status serve(const SchedulerCommandOptions& options,
             const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams) {
  TUTTI_ASSIGN(daemon::DaemonOptions made, daemon_options(options, surroundings, streams));
  const auto log = make_log(options.json_log, options.verbose, streams);
  return daemon::run_daemon(std::move(made), *log);
}

}  // namespace

ExitCode scheduler_command(const SchedulerCommandOptions& options,
                           const terminal::ProcessEnvironment& surroundings,
                           terminal::Streams& streams) {
  const Status outcome = serve(options, surroundings, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti scheduler: " << printable_lines(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
