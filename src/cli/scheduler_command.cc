// tutti scheduler: the daemon of a real cluster.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/profiles.h"
#include "cli/version.h"
#include "daemon/daemon.h"
#include "kube/in_cluster.h"
#include "kube/kubeconfig.h"
#include "telemetry/make_log.h"

namespace tutti::cli {
namespace {

Error misuse(std::string message) { return {Error::Code::invalid, std::move(message)}; }

Result<kube::Access> find_access(const SchedulerCommandOptions& options,
                                 const Surroundings& surroundings) {
  return kube::find_access(
      {.path = options.kubeconfig,
       .environment = surroundings.kubeconfig,
       .home = surroundings.home,
       .context = options.context},
      {.service_host = surroundings.service_host, .service_port = surroundings.service_port});
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

Result<daemon::DaemonOptions> daemon_options(const SchedulerCommandOptions& options,
                                             const Surroundings& surroundings, Streams& streams) {
  daemon::DaemonOptions made;
  TUTTI_ASSIGN(made.config, load_config(options.config, streams.in));
  TUTTI_TRY(rename(made.config, options.scheduler_name));
  TUTTI_ASSIGN(made.profiles, build_profiles(made.config, options.config, options.plugin_dir));
  TUTTI_ASSIGN(made.access, find_access(options, surroundings));
  if (options.leader_elect.value_or(true)) {
    made.election = kube::ElectionConfig{};
    made.election->ns = "kube-system";
    made.election->name = "tutti";
    made.election->identity = fmt::format("{}_{:016x}", surroundings.host, surroundings.entropy);
  }
  made.bind_address = options.bind_address;
  made.port = options.port;
  made.instance = "tutti-" + surroundings.host;
  made.version = version();
  made.seed = surroundings.entropy;
  return made;
}

Instant wall_clock() {
  return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
}

std::unique_ptr<telemetry::Log> make_log(const SchedulerCommandOptions& options, Streams& streams) {
  telemetry::LogOptions wanted;
  wanted.now = wall_clock;
  if (options.verbose) wanted.level_min = telemetry::Log::Level::debug;
  auto sink = telemetry::to_stream(streams.err);
  return options.json_log ? telemetry::make_json_log(std::move(sink), wanted)
                          : telemetry::make_text_log(std::move(sink), wanted);
}

Status serve(const SchedulerCommandOptions& options, const Surroundings& surroundings,
             Streams& streams) {
  TUTTI_ASSIGN(daemon::DaemonOptions made, daemon_options(options, surroundings, streams));
  const auto log = make_log(options, streams);
  return daemon::run_daemon(std::move(made), *log);
}

}  // namespace

ExitCode scheduler_command(const SchedulerCommandOptions& options, const Surroundings& surroundings,
                           Streams& streams) {
  const Status outcome = serve(options, surroundings, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti scheduler: " << brief_line(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
