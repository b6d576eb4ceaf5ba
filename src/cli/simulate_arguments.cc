// The options of tutti simulate.
#include <CLI/CLI.hpp>

#include "base/time.h"
#include "cli/arguments.h"
#include "trace/cells.h"
#include "trace/read.h"

namespace tutti::cli {
namespace {

constexpr const char* kSimulateExample =
    "Examples:\n"
    "  tutti simulate --trace jobs.csv --topology rack=4,host=16,gpu=8,cpu=192 --policy default\n"
    "  tutti simulate --trace pods.csv.gz --nodes nodes.csv --policy fgd,best-fit,random \\\n"
    "      --seeds 1..10 --per-job waits.csv -o json\n"
    "  tutti simulate --study fgd --traces data/traces --lists all\n"
    "\n"
    "Plays what ran elsewhere through this scheduler in virtual time. A trace is CSV or JSON "
    "Lines,\n"
    "plain or gzip; its format is known by its columns. A policy is the name of a placement, or\n"
    "order=priority,place=fgd,preempt=priority.";

// A number with at most three decimals, in thousandths; nothing outside of the limits.
std::optional<std::int64_t> factor_of(const std::string& text, std::int64_t most) {
  const auto thousandths = trace::parse_thousandths(text);
  const bool good = thousandths && *thousandths > 0 && *thousandths <= most;
  return good ? thousandths : std::nullopt;
}

void add_changes(CLI::App& command, trace::Changes& changes) {
  const auto add_time = [&](const char* name, std::optional<Millis>& into, const char* about) {
    const auto set = [&into](const std::string& text) { into = *parse_duration(text); };
    command.add_option_function<std::string>(name, set, about)
        ->check(duration_problem)
        ->type_name("DURATION");
  };
  const auto add_factor = [&](const char* name, std::optional<std::int64_t>& into,
                              std::int64_t most, const char* about) {
    const auto set = [&into, most](const std::string& text) { into = factor_of(text, most); };
    command.add_option_function<std::string>(name, set, about)
        ->check([most](const std::string& text) {
          return factor_of(text, most) ? "" : "must be a positive number, such as 0.5";
        })
        ->type_name("X");
  };
  constexpr std::int64_t kShareMax = 1000;
  constexpr std::int64_t kFactorMax = 1'000'000;
  add_time("--from", changes.from, "Only jobs submitted at this time of the trace or later");
  add_time("--to", changes.to, "Only jobs submitted before this time of the trace");
  add_factor("--sample", changes.sample, kShareMax, "Only this share of the jobs, e.g. 0.1");
  add_factor("--scale-load", changes.load, kFactorMax, "Divide the time between submits by this");
  add_factor("--scale-duration", changes.duration, kFactorMax, "Multiply durations by this");
}

void add_simulation_input(CLI::App& command, SimulateOptions& options) {
  command.add_option("--trace", options.traces, "What ran: files, or - for standard input")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE");
  const auto formats = trace::format_names();
  command.add_option("--format", options.trace_format, "Its format, if the columns do not tell")
      ->check(CLI::IsMember(std::vector<std::string>(formats.begin(), formats.end())))
      ->type_name("NAME");
  command.add_option("--nodes", options.nodes, "The cluster: a list of nodes")->type_name("FILE");
  command
      .add_option("--topology", options.topology,
                  "The cluster: equal nodes, e.g. rack=4,host=16,gpu=8,model=H100,cpu=192")
      ->type_name("SPEC");
  command.add_flag("--skip-bad-rows", options.skip_bad_rows,
                   "Count rows that make no sense, instead of refusing the file");
  command.add_flag("--keep-time-zero", options.keep_time_zero,
                   "Keep times as they are; otherwise the first submit is 0");
  command.add_option("--study", options.study, "A published experiment instead of a trace")
      ->check(CLI::IsMember({"fgd"}))
      ->type_name("NAME");
  command.add_option("--traces", options.data, "The folder of the study's inputs")
      ->type_name("DIR");
  command.add_option("--lists", options.lists, "Lists of the study (default: default), or all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command
      .add_option("--workers", options.workers,
                  "Runs of the study at a time (default: one for every core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

}  // namespace

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App& command =
      *app.add_subcommand("simulate", "Play a trace of jobs in virtual time, and compare policies");
  add_simulation_input(command, options);
  add_changes(command, options.changes);
  command
      .add_option(
          "--policy", options.policies,
          "Policies to compare: placements, or order=…,place=…,preempt=… (default: default)")
      ->type_name("NAMES");
  const auto set_seeds = [&options](const std::string& text) {
    options.seeds = *parse_seeds(text);
  };
  command
      .add_option_function<std::string>("--seeds", set_seeds,
                                        "Numbers for what policies draw, e.g. 42..51")
      ->check([](const std::string& text) {
        return parse_seeds(text) ? "" : "must be numbers such as 42, 1,5 or 42..51, each once";
      })
      ->type_name("N");
  const auto set_until = [&options](const std::string& text) {
    options.until = *parse_duration(text);
  };
  command
      .add_option_function<std::string>("--until", set_until,
                                        "Stop at this virtual time (default: when all is done)")
      ->check(duration_problem)
      ->type_name("DURATION");
  const auto set_reserve = [&options](const std::string& text) {
    options.reserves_nodes = text == "nodes";
  };
  command
      .add_option_function<std::string>(
          "--reserve", set_reserve,
          "What backfill keeps for a job: room somewhere (counts), or the nodes found (nodes)")
      ->check(CLI::IsMember({"counts", "nodes"}))
      ->type_name("WHAT");
  command.add_flag("--enforce-limits", options.enforce_limits, "Kill jobs at their limit");
  add_format_option(command, options.format);
  command.add_option("--per-job", options.per_job, "Write a CSV row for every job of every run")
      ->type_name("FILE");
  command.footer(kSimulateExample);
}

}  // namespace tutti::cli
