// CLI11 throws; it and its exceptions stay in this file.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/options.h"

namespace tutti::cli {
namespace {

constexpr const char* kAbout =
    "Tutti schedules gangs, batch and inference work on Kubernetes objects, and says why.";
constexpr const char* kRunExample =
    "Examples:\n"
    "  tutti run -f examples/quickstart\n"
    "  tutti run -f cluster.yaml jobs/ --until 2h -o json --kinds pods,podgroups\n"
    "  tutti run -f scene.yaml --expect scene.expect.yaml   exits 3 if the policy changed\n"
    "\n"
    "A folder stands for its *.yaml, *.yml and *.json, in order of their names, without the\n"
    "folders below it (-R). Files may have 1 GiB, documents 64 MiB.";
constexpr const char* kExplainExample =
    "Example:\n"
    "  tutti explain podgroup/train -n ml -f examples/quickstart";

std::string version_text() { return std::string("tutti ") + TUTTI_VERSION; }

std::string duration_problem(const std::string& text) {
  const Result<Millis> parsed = parse_duration(text);
  if (!parsed.ok()) return parsed.error().message;
  return *parsed < Millis{0} ? "must not be negative" : "";
}

void add_format_option(CLI::App& command, Format& format) {
  const auto choose = [&format](const std::string& word) {
    format = word == "json" ? Format::json : word == "yaml" ? Format::yaml : Format::table;
  };
  command.add_option_function<std::string>("-o,--output", choose, "table, json or yaml")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->type_name("FORMAT");
}

void add_session_options(CLI::App& command, SessionOptions& session) {
  command
      .add_option("-f,--filename", session.manifests.paths,
                  "Manifests: files, folders, or - for standard input")
      ->required()
      ->type_name("PATH");
  command.add_flag("-R,--recursive", session.manifests.recursive,
                   "Read the folders below a folder, too");
  const auto set_until = [&session](const std::string& text) {
    session.until = *parse_duration(text);
  };
  command
      .add_option_function<std::string>(
          "--until", set_until, "Stop at this virtual time (90s, 2h; default: when all is settled)")
      ->check(duration_problem)
      ->type_name("DURATION");
  command.add_option("--seed", session.seed, "Of uids; the same seed gives the same output")
      ->type_name("N");
  command.add_option("--config", session.config, "A KubeSchedulerConfiguration")->type_name("FILE");
  command.add_option("--plugin-dir", session.plugin_dir, "Load the plugins (*.so) in this folder")
      ->type_name("DIR");
}

void add_run(CLI::App& app, RunOptions& options, std::string& kinds) {
  CLI::App& command =
      *app.add_subcommand("run", "Schedule manifests in virtual time, and show what happens");
  add_session_options(command, options.session);
  add_format_option(command, options.format);
  command.add_option("--kinds", kinds, "Print only these kinds, e.g. pods,podgroups (json, yaml)")
      ->type_name("KINDS");
  command.add_option("--expect", options.expect, "Check the expectations in this file")
      ->type_name("FILE");
  command.add_option("--timeline", options.timeline, "Write every decision as a line of JSON")
      ->type_name("FILE");
  command.add_flag("--check", options.session.check,
                   "Watch Tutti itself for mistakes; exits 1 on one (slower)");
  command.footer(kRunExample);
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App& command = *app.add_subcommand("explain", "Say why a pod or group runs or waits");
  command.add_option("object", options.object, "What to explain: podgroup/NAME or pod/NAME")
      ->required()
      ->type_name("KIND/NAME");
  command.add_option("-n,--namespace", options.ns, "Its namespace (default: default)")
      ->type_name("NS");
  add_session_options(command, options.session);
  add_format_option(command, options.format);
  command.footer(kExplainExample);
}

// The innermost command that was named: its help and its name in messages.
const CLI::App& named_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

ExitCode report_misuse(const CLI::App& app, const CLI::ParseError& error, Streams& streams) {
  const CLI::App& command = named_command(app);
  const std::string name = &command == &app ? "tutti" : "tutti " + command.get_name();
  streams.err << name << ": " << error.what() << "\nTry '" << name << " --help'.\n";
  return ExitCode::bad_input;
}

}  // namespace

ExitCode execute(const std::vector<std::string>& arguments, Streams& streams) {
  CLI::App app(kAbout, "tutti");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(0, 1);
  app.footer("'tutti COMMAND --help' explains a command, with an example.");
  RunOptions run;
  ExplainOptions explain;
  std::string kinds;
  add_run(app, run, kinds);
  add_explain(app, explain);
  app.add_subcommand("help", "Show this help");
  app.add_subcommand("version", "Print the version");
  const std::string overview = app.help();  // once parsed, it would be the subcommand's
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    streams.out << app.help();
    return ExitCode::done;
  } catch (const CLI::CallForVersion&) {
    streams.out << version_text() << '\n';
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    return report_misuse(app, error, streams);
  }
  run.kinds = KindFilter::parse(kinds);
  if (app.got_subcommand("run")) return run_command(run, streams);
  if (app.got_subcommand("explain")) return explain_command(explain, streams);
  if (app.got_subcommand("version")) {
    streams.out << version_text() << '\n';
    return ExitCode::done;
  }
  streams.out << overview;
  return arguments.empty() ? ExitCode::bad_input : ExitCode::done;
}

}  // namespace tutti::cli
