// The options of tutti simulate.
#include <CLI/CLI.hpp>

#include "base/time.h"
#include "cli/arguments.h"

namespace tutti::cli {
namespace {

constexpr const char* kSimulateExample =
    "Examples:\n"
    "  tutti simulate --trace pods.json --nodes nodes.json --policy default,most-allocated\n"
    "  tutti simulate --trace jobs.csv --topology rack=4,host=16,gpu=8,cpu=192 --policy default\n"
    "  tutti simulate --trace pods.csv.gz --nodes nodes.csv --policy fgd,best-fit,random \\\n"
    "      --seeds 1..10 --per-job waits.csv -o json\n"
    "  tutti simulate --study fgd --traces data/traces --lists all\n"
    "\n"
    "Plays what ran elsewhere through this scheduler in virtual time. A trace is CSV or JSON "
    "Lines,\n"
    "plain or gzip; its format is known by its columns. A policy is the name of a placement, or\n"
    "order=priority,place=fgd,preempt=priority.";

}  // namespace

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App& command =
      *app.add_subcommand("simulate", "Play a trace of jobs in virtual time, and compare policies");
  add_simulation_input(command, options);
  add_trace_changes(command, options);
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
  command.add_option("--report", options.report, "Write tables and plots as one HTML file")
      ->type_name("FILE");
  command.footer(kSimulateExample);
}

}  // namespace tutti::cli
