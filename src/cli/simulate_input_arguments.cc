// What tutti simulate reads, and what it makes of the trace before playing it.
#include <CLI/CLI.hpp>
#include <map>

#include "base/time.h"
#include "cli/arguments.h"
#include "trace/cells.h"
#include "trace/clusters/sources.h"
#include "trace/node_changes.h"
#include "trace/read.h"

namespace tutti::cli {
namespace {

// A number with at most three decimals, in thousandths; nothing outside of the limits.
std::optional<std::int64_t> factor_of(const std::string& text, std::int64_t most) {
  const auto thousandths = trace::parse_thousandths(text);
  const bool good = thousandths && *thousandths > 0 && *thousandths <= most;
  return good ? thousandths : std::nullopt;
}

}  // namespace

void add_trace_changes(CLI::App& command, SimulateOptions& options) {
  trace::Changes& changes = options.changes;
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
  command
      .add_option("--filter", options.input.filter,
                  "Only jobs of which all of these hold, e.g. queue=research,gpus>=8")
      ->type_name("EXPR");
  add_factor("--repeat-until", changes.repeat_until, kFactorMax,
             "Draw jobs again until they ask for this multiple of the cluster");
  const auto set_estimates = [&changes](const std::string& text) {
    changes.exact_estimates = text == "exact";
  };
  command
      .add_option_function<std::string>("--estimates", set_estimates,
                                        "What jobs say they take: as in the trace, or exact")
      ->check(CLI::IsMember({"trace", "exact"}))
      ->type_name("WHICH");
  const std::map<std::string, trace::TraceOrder> orders = {{"trace", trace::TraceOrder::trace},
                                                           {"shuffle", trace::TraceOrder::shuffle},
                                                           {"size", trace::TraceOrder::size},
                                                           {"reverse", trace::TraceOrder::reverse}};
  const auto set_order = [&changes, orders](const std::string& text) {
    changes.order = orders.at(text);
  };
  command
      .add_option_function<std::string>("--order", set_order,
                                        "Who comes at which of the trace's times")
      ->check(CLI::IsMember({"trace", "shuffle", "size", "reverse"}))
      ->type_name("ORDER");
  command.add_flag("--no-departures", changes.no_departures, "Nobody leaves");
  command
      .add_option("--change-seed", changes.seed,
                  "Of the numbers that --sample, --repeat-until and --order draw (default: 0)")
      ->type_name("N");
}

namespace {

std::vector<std::string> known_formats() {
  const auto own = trace::format_names();
  std::vector<std::string> names(own.begin(), own.end());
  for (const trace::Source& source : trace::cluster_sources()) {
    if (source.read_jobs != nullptr) names.emplace_back(source.name);
  }
  return names;
}

void add_reading(CLI::App& command, SimulationInput& input) {
  command
      .add_option("--map", input.map,
                  "How your columns are to be read, as YAML: submit: {from: NAME, unit: ms}")
      ->type_name("FILE");
  command.add_option("--synth", input.synth, "A trace made up: poisson:rate=60,gpus=1:0.7|8:0.3,…")
      ->type_name("SPEC");
  const auto set_unfinished = [&input](const std::string& text) {
    input.unfinished = text == "drop"     ? trace::Unfinished::drop
                       : text == "censor" ? trace::Unfinished::censor
                                          : trace::Unfinished::elapsed;
  };
  command
      .add_option_function<std::string>(
          "--unfinished", set_unfinished,
          "Jobs that had not ended when the log was written: they run for ever (censor), as long "
          "as they had (elapsed-so-far), or are left out (drop)")
      ->check(CLI::IsMember({"censor", "elapsed-so-far", "drop"}))
      ->type_name("HOW");
  command.add_flag("--join-requeues", input.join_requeues,
                   "Attempts of one Slurm job are one job, as long as the last of them");
  command
      .add_option("--gpus-per-node", input.gpus_per_node,
                  "The most GPUs of a pod where a format says no shapes (default: of the largest "
                  "node), and those of a host where it does not say")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command
      .add_option("--replica", input.replicas,
                  "How fast one replica is, where requests are read: prefill=N,decode=N,…")
      ->type_name("SPEC");
  command.add_option("--profiles", input.profiles, "A folder of measured speeds of training jobs")
      ->type_name("DIR");
  command.add_option("--anonymise", input.key, "Replace names by hashes with the key in this file")
      ->type_name("KEYFILE");
}

// "rack=90d".
std::optional<std::pair<std::string, Millis>> domain_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const auto between = trace::parse_days(std::string_view(text).substr(equals + 1));
  if (!between.ok() || *between <= Millis{0}) return std::nullopt;
  return std::pair(text.substr(0, equals), *between);
}

void add_failures(CLI::App& command, SimulationInput& input) {
  const auto span_problem = [](const std::string& text) {
    const auto span = trace::parse_days(text);
    return span.ok() && *span > Millis{0} ? "" : "must be a duration such as 30d or 2h";
  };
  command.add_option("--failures", input.outages, "When nodes are down: CSV of node,down,up")
      ->type_name("FILE");
  command
      .add_option("--drain", input.drains,
                  "Nodes that go for good: n1,n2@36h; several times for several times")
      ->allow_extra_args(false)
      ->type_name("NODES@TIME");
  const auto set_between = [&input](const std::string& text) {
    input.failures.between = *trace::parse_days(text);
  };
  command
      .add_option_function<std::string>("--mtbf", set_between,
                                        "Mean time between failures of a node, e.g. 30d")
      ->check(span_problem)
      ->type_name("DURATION");
  const auto set_repair = [&input](const std::string& text) {
    input.failures.repair = *trace::parse_days(text);
  };
  command
      .add_option_function<std::string>("--mttr", set_repair,
                                        "Mean time to its repair (default: 2h)")
      ->check(span_problem)
      ->type_name("DURATION");
  const auto add_domain = [&input](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) input.failures.domains.push_back(*domain_of(text));
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--domain-mtbf", add_domain, "The same of whole domains of a level, e.g. rack=90d")
      ->check([](const std::string& text) {
        return domain_of(text) ? "" : "must be LEVEL=DURATION, such as rack=90d";
      })
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LEVEL=DURATION");
  const auto set_slowdown = [&input](const std::string& text) {
    input.ideal_places = text == "none";
  };
  command
      .add_option_function<std::string>(
          "--slowdown", set_slowdown,
          "What places do to jobs: as --profiles measured (profiles), or nothing (none)")
      ->check(CLI::IsMember({"profiles", "none"}))
      ->type_name("HOW");
}

}  // namespace

void add_simulation_input(CLI::App& command, SimulateOptions& options) {
  command.add_option("--trace", options.traces, "What ran: files, or - for standard input")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE");
  auto formats = known_formats();
  command.add_option("--format", options.trace_format, "Its format, if the columns do not tell")
      ->check(CLI::IsMember(std::move(formats)))
      ->type_name("NAME");
  add_reading(command, options.input);
  add_failures(command, options.input);
  command
      .add_option("--nodes", options.nodes,
                  "The cluster: lists of nodes, and topology.conf where they are Slurm's")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE");
  command
      .add_option("--topology", options.topology,
                  "The cluster: equal nodes, e.g. rack=4,host=16,gpu=8,model=H100,cpu=192")
      ->type_name("SPEC");
  command
      .add_option("--add-nodes", options.input.added_nodes,
                  "The cluster grows: 10xNODE is ten more like NODE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SPEC");
  command
      .add_option("--remove-nodes", options.input.removed_nodes,
                  "The cluster shrinks: the last N nodes of the list go")
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
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

}  // namespace tutti::cli
